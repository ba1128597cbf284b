import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// The question for a person: whether that program may do that.
struct PersonQuestion: Sendable {
    let caller: Identity
    let keychain: KeychainName
    var subject: any PersonSubject
    /// How the person answers.
    var proof = PersonProof.consent
    /// The reason that the program itself gives.
    var reason: String?
    /// What the program calls the button that ends the dialog.
    var cancelTitle: String?
    /// What the program calls the button for an alternative to a biometric; nil where there is to be no such button.
    var fallbackTitle: String?
    /// The terminal of the calling process, looked up once there is something to ask.
    var terminal: String?
    /// The program that is the parent of the calling process, looked up at the same time.
    ///
    /// A program can choose its parent.
    var parent: String?
}

/// The answer of a person.
enum PersonAnswer: Sendable {
    case allowed
    /// The process is let in until it ends; or it may use an item of a file keychain once.
    case allowedOnce
    /// The program takes the place of its former self in all items of that file keychain.
    case allowedEverywhere
    case denied
    /// The person left the dialog without an answer.
    case cancelled
    case timedOut
    /// The person asks for an alternative to a biometric.
    case fallback
    /// The person gave a wrong passcode as often as is allowed.
    case wrong
    /// The question was taken back, since the device was locked.
    case locked
    /// Nobody was asked, since another answer or something else may have settled the question. The request decides
    /// anew.
    case again
    /// Nobody can be asked, and why.
    case impossible(KeychainError)

    /// How an authentication failed by this answer; nil where it did not, or where an error says more.
    var authenticationFailure: AuthenticationFailure? {
        switch self {
        case .allowed, .allowedOnce, .allowedEverywhere, .again, .impossible: nil
        case .denied, .wrong: .failed
        case .cancelled: .cancelledByPerson
        case .fallback: .fallback
        case .timedOut, .locked: .cancelledBySystem
        }
    }

    /// The error for the program; nil where the request goes on.
    var refusal: KeychainError? {
        switch self {
        case .allowed, .allowedOnce, .allowedEverywhere, .again: nil
        case .denied: KeychainError(.authFailed, "the person who was asked did not allow it")
        case .cancelled: KeychainError(.userCanceled, "the person who was asked gave no answer")
        case .fallback: KeychainError(.userCanceled, "the person who was asked wants another way than a biometric")
        case .timedOut: KeychainError(.userCanceled, "the person who was asked gave no answer in time")
        case .wrong: KeychainError(.authFailed, "what the person gave was wrong each time")
        case .locked: KeychainError(.userCanceled, "the keychain was locked before the person had answered")
        case .impossible(let error): error
        }
    }
}
