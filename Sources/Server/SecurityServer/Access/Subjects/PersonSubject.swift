import AgentProtocol
import ChatelaineIPC
import ChatelaineModel

/// What a program asks a person for, with all that a dialog about it needs.
///
/// Each kind is a type of its own in this folder, so that nothing else has to change for a new one.
protocol PersonSubject: Sendable {
    /// A description of the subject for people.
    ///
    /// Programs have chosen its content.
    var text: String? { get }
    /// What the dialog says that the program wants.
    var purpose: DialogPurpose { get }
    /// The error for the program where nobody can be asked.
    var unanswered: KeychainError { get }
    /// The keychain that the program wants unlocked or made.
    var keychainToOpen: KeychainPath? { get }
    /// What a person refuses by a refusal, for which the program has to pause; nil where refusals are not counted.
    ///
    /// They are not for data protection items, since those need a proof, which the custodian counts.
    var refusal: DialogDenials.Thing? { get }
    /// Whether wrong secrets are a refusal.
    ///
    /// Otherwise a program could guess in its own terminal without end, and increase the delay of wrong tries for
    /// everybody. A person who unlocks may mistype.
    var isRefusedByWrongSecrets: Bool { get }

    /// The topic about which waiting requests have to decide anew after an answer; nil where the answer is for one
    /// request alone.
    func topic(settledBy answer: PersonAnswer) -> PersonQuestion.Topic?

    /// Whether a waiting question is decided anew after an answer about the topic.
    func isAbout(_ topic: PersonQuestion.Topic) -> Bool

    /// Adds what the dialog says besides.
    func complete(_ dialog: inout Dialog, of question: PersonQuestion)
}

/// What most subjects say.
extension PersonSubject {
    var text: String? { nil }

    var unanswered: KeychainError {
        .needsPerson(
            "a person has to allow this, and nobody can be asked: call from a terminal, or in a session with a display")
    }

    var keychainToOpen: KeychainPath? { nil }

    var refusal: DialogDenials.Thing? { keychainToOpen.map(DialogDenials.Thing.keychain) }

    var isRefusedByWrongSecrets: Bool { false }

    func topic(settledBy answer: PersonAnswer) -> PersonQuestion.Topic? {
        guard case .allowed = answer else { return nil }
        return keychainToOpen.map(PersonQuestion.Topic.openKeychain)
    }

    func isAbout(_ topic: PersonQuestion.Topic) -> Bool {
        switch topic {
        case .openKeychain(let path), .keychain(let path): keychainToOpen == path
        case .keychains, .program: false
        }
    }

    func complete(_ dialog: inout Dialog, of question: PersonQuestion) {
        dialog.keychain = keychainToOpen?.displayName
    }
}

extension KeychainError {
    /// The error for a program that needs a person whom nobody can ask.
    static func needsPerson(_ reason: String, _ status: Status = .interactionNotAllowed) -> KeychainError {
        KeychainError(cause: .needsPerson, status: status, reason)
    }
}
