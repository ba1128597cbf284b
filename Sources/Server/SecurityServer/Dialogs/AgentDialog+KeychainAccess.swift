import AgentProtocol
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
