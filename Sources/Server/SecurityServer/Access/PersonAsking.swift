import CallerIdentity
import ChatelaineModel
import ItemStore

/// What a person is asked: whether that program may do that with that item.
struct PersonQuestion: Sendable {
    let caller: Identity
    let keychain: KeychainName
    let operation: RowOperation
    let item: ItemIdentifier
    let itemClass: ItemClass
    /// What the decider says about the item, for people. Programs have chosen what is in it.
    let text: String
    /// By what the person answers.
    var proof = PersonProof.consent
}

/// By what a person answers.
enum PersonProof: Sendable {
    /// A button, which is no proof of presence.
    case consent
    /// The passcode, which goes to whoever `taking` is.
    case passcode(taking: any PasscodeChecking)
    /// The item's own password, which goes to whoever `taking` is; a new one is asked for twice.
    case password(isNew: Bool, taking: any PasscodeChecking)

    /// Whether the answer itself counts. Of everything else the custodian has its own knowledge, and no word of anybody's counts.
    var isConsent: Bool { if case .consent = self { true } else { false } }
}

/// What the person said.
enum PersonAnswer: Sendable {
    case allowed
    case denied
    /// Went away without an answer.
    case cancelled

    /// What the program is told; nil where it may go on.
    var refusal: KeychainError? {
        switch self {
        case .allowed: nil
        case .denied: KeychainError(.authFailed, "the person who was asked did not allow it")
        case .cancelled: KeychainError(.userCanceled, "the person who was asked gave no answer")
        }
    }
}

/// Puts questions to whoever sits at the machine.
protocol PersonAsking: Sendable {
    /// Begins to ask, and returns at once; the answer goes to ``PersonInquiry/answer(_:)``, from any thread.
    ///
    /// - Returns: false where nobody can be asked now.
    func ask(_ inquiry: PersonInquiry) -> Bool
}
