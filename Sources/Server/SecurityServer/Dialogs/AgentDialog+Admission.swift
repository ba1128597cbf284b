import AgentProtocol
import ChatelaineIPC
import ChatelaineModel

/// Asks about a changed program by buttons and, where there is a passcode, for the passcode in a second dialog.
extension AgentDialog {
    /// Shows the buttons, and then the dialog for the passcode.
    ///
    /// - Parameter taking: checks the passcode for the answer that counts everywhere.
    func choose(
        _ dialog: Dialog, _ standing: PasscodeStanding, _ taking: any PasscodeChecking, over channel: FrameChannel,
        _ waiting: () -> UInt32
    ) throws(KeychainError) -> PersonAnswer {
        var dialog = dialog
        dialog.waiting = waiting()
        let (reply, _) = try exchange(dialog, over: channel, nil)
        let isForGood: Bool
        switch reply {
        case .everywhere: isForGood = true
        case .once: isForGood = false
        case .denied, .cancelled: return .denied
        case .timedOut: return .timedOut
        default: throw Self.error(reply)
        }
        let answer: PersonAnswer = isForGood ? .allowed : .allowedOnce
        guard standing.hasPasscode else { return answer }
        (dialog.kind, dialog.purpose) = (.passcode, isForGood ? .replace : .enterOnce)
        let proof = PersonProof.passcode(taking: isForGood ? taking : nil)
        switch try ask(dialog, standing, proof, over: channel, nil, waiting) {
        case .allowed: return answer
        case let other: return other
        }
    }
}
