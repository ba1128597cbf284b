import AgentProtocol
import ChatelaineIPC
import ChatelaineModel

/// The use of an item of a file keychain.
extension KeychainItemUse: PersonSubject {
    var text: String? { label }
    var purpose: DialogPurpose { DialogPurpose(right) }

    /// What to do where there is nobody to ask, as on a server.
    ///
    /// Lines of programs that fail hold no value of an attribute, and so no name of the item.
    var unanswered: KeychainError {
        let remedy =
            switch question.reason {
            case .partition:
                caller.partition.map {
                    "its partition list lacks \($0.text): name it besides the present ones with -S of set-key-partition-list or set-generic-password-partition-list"
                } ?? "the program is of no partition, since its signature does not count"
            case .notListed: "it does not list the program, as -T of the verb that adds it does"
            case .changed: "another program stood at this path when it was listed; list it again"
            case .uncertain: "it lists the program, which may not be what it seems (`security app show`)"
            }
        return .needsPerson(
            "a person has to allow the use of the item in \(keychain.text), and nobody can be asked: \(remedy)")
    }

    var refusal: DialogDenials.Thing? { .item(keychain, item) }
    var isRefusedByWrongSecrets: Bool { true }

    func topic(settledBy answer: PersonAnswer) -> PersonQuestion.Topic? {
        switch answer {
        case .allowedEverywhere: .keychains
        case .allowed: .keychain(keychain)
        default: nil
        }
    }

    func isAbout(_ topic: PersonQuestion.Topic) -> Bool {
        switch topic {
        case .keychain(let path), .openKeychain(let path): path == keychain
        case .keychains: true
        case .program: false
        }
    }

    func complete(_ dialog: inout Dialog, of question: PersonQuestion) {
        dialog.keychain = keychain.displayName
        if case .keychainAccess(let proof) = question.proof {
            dialog.access = DialogAccess(self, proof, parent: question.parent)
        }
    }
}

extension DialogAccess {
    fileprivate init(_ use: KeychainItemUse, _ proof: KeychainAccessProof, parent: String?) {
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
    fileprivate init(_ right: ACLAuthorization) {
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
