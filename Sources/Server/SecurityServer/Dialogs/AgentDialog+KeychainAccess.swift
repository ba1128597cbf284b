import AgentProtocol
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// Asks about an item of a file keychain: by buttons where several answers are possible, and always for a secret.
extension AgentDialog {
    func grant(
        _ dialog: Dialog, _ standing: PasscodeStanding, _ proof: PersonProof, over channel: FrameChannel,
        _ waiting: () -> UInt32
    ) throws(KeychainError) -> PersonAnswer {
        var dialog = dialog
        guard let grants = dialog.access?.grants else { throw Self.confused }
        var chosen = DialogGrant.once
        if grants.count > 1 {
            dialog.waiting = waiting()
            let (reply, _) = try exchange(dialog, over: channel, nil)
            switch reply {
            case .once: chosen = .once
            case .always: chosen = .always
            case .everywhere: chosen = .everywhere
            case .denied, .cancelled: return .denied
            case .timedOut: return .timedOut
            default: throw Self.error(reply)
            }
            // The agent may only return an offered answer.
            guard grants.contains(chosen) else { throw Self.confused }
        }
        dialog.kind = .keychainSecret
        dialog.access?.chosen = chosen
        switch try ask(dialog, standing, proof, over: channel, nil, waiting) {
        case .allowed:
            return switch chosen {
            case .once: .allowedOnce
            case .always: .allowed
            case .everywhere: .allowedEverywhere
            }
        case let other: return other
        }
    }
}

extension DialogAccess {
    init(_ use: KeychainItemUse, _ proof: KeychainAccessProof, parent: String?) {
        self.init(
            use.question.reason, DialogProgram(use.caller.identity), by: proof.takesPasscode ? .either : .password)
        if let application = use.question.former { former = DialogProgram(application.identity) }
        words = use.question.description.text
        self.parent = parent
        doubts = use.caller.doubts
        if proof.mayBeRemembered { grants.append(.always) }
        if proof.isAboutChange { grants.append(.everywhere) }
    }
}

extension DialogProgram {
    /// A program that is identified by its path needs no further description, since the dialog shows the path.
    fileprivate init(_ identity: TrustedApplication.Identity?) {
        switch identity {
        case .identifier(let identifier) where identifier.isOfTeam: self.init(identifier: identifier.text)
        case .digest(let digest): self.init(digest: digest.value)
        case .securityTool: self.init(identifier: "security")
        case .identifier, nil: self.init()
        }
    }
}

extension DialogPurpose {
    /// The purpose that stands for a right to an item of a file keychain.
    init(_ right: ACLAuthorization) {
        self =
            switch right {
            case .decrypt: .readSecret
            case .keychainItemRead: .readAttributes
            case .keychainItemModify: .update
            case .delete, .keychainItemDelete: .delete
            case .keychainItemInsert: .add
            case .encrypt, .sign, .mac, .derive: .useKey
            case .exportClear, .exportWrapped: .export
            case .changeACL, .changeOwner: .changeAccess
            default: .other
            }
    }
}
