import AgentProtocol
import CallerIdentity
import ChatelaineModel

/// The use of the keychain by a program although its file changed.
extension ChangeAcceptance: PersonSubject {
    var purpose: DialogPurpose { .other }
    var refusal: DialogDenials.Thing? { .itself }
    var isRefusedByWrongSecrets: Bool { true }

    func topic(settledBy answer: PersonAnswer) -> PersonQuestion.Topic? {
        switch answer {
        case .allowed, .allowedOnce: .program(change.path)
        default: nil
        }
    }

    func isAbout(_ topic: PersonQuestion.Topic) -> Bool {
        if case .program(let path) = topic { path == change.path } else { false }
    }

    func complete(_ dialog: inout Dialog, of question: PersonQuestion) { dialog.change = DialogChange(change) }
}

extension DialogChange {
    fileprivate init(_ change: ProgramChange) {
        self.init(
            from: change.former?.value, to: change.digest.value, recorded: change.record.decided,
            modified: change.modified)
    }
}
