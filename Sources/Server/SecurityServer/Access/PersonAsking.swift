import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// The question for a person: whether that program may do that.
struct PersonQuestion: Sendable {
    let caller: Identity
    let keychain: KeychainName
    var subject: PersonSubject
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

    /// The error for the program where nobody can be asked.
    var unanswered: KeychainError {
        switch subject {
        case .unlockKeychain(let path): error("the keychain \(path.text) is locked; unlock it first")
        case .newKeychain(let path):
            error("nobody can be asked for the password of \(path.text); give it with the call")
        case .loginKeychain(let path):
            error("there is no default keychain; the next login makes \(path.text), or set one", .noDefaultKeychain)
        case .passphrase:
            error("nobody can be asked for the passphrase of the file; give it with the call, as `-P` of security does")
        case .keychainItem(let use): error(use.unanswered)
        case .trust:
            error(
                "a person has to allow this change of trust, and nobody can be asked: make it at a terminal, or as root for all users with `security add-trusted-cert -d`"
            )
        default:
            error(
                "a person has to allow this, and nobody can be asked: call from a terminal, or in a session with a display"
            )
        }
    }

    private func error(_ reason: String, _ status: Status = .interactionNotAllowed) -> KeychainError {
        KeychainError(cause: .needsPerson, status: status, reason)
    }
}

/// What a program asks a person for.
enum PersonSubject: Sendable {
    /// To perform that operation on an item.
    case item(RowOperation, ItemIdentifier, ItemClass, called: String)
    /// To confirm that the user is present (``AuthenticationPolicy``).
    case presence
    /// To use items that have the same access control.
    case accessControl(AccessControlUse)
    /// To go on although the file of the program changed.
    case changedProgram(ChangeAcceptance)
    /// To do something with an item of a file keychain.
    case keychainItem(KeychainItemUse)
    /// To use a file keychain that is locked.
    case unlockKeychain(KeychainPath)
    /// To make a file keychain, with a password that the person chooses.
    case newKeychain(KeychainPath)
    /// To make the login keychain, to which the new item is added.
    case loginKeychain(KeychainPath)
    /// To change the trust settings.
    case trust(TrustChange)
    /// To read a file of keys that has a passphrase, or to write one with a passphrase that the person chooses.
    case passphrase(isNew: Bool)

    /// A description of the subject for people.
    ///
    /// Programs have chosen its content.
    var text: String? {
        switch self {
        case .item(_, _, _, let text): text
        case .keychainItem(let use): use.label
        case .trust(let change): change.label
        default: nil
        }
    }
}

/// How a person answers a question.
package enum PersonProof: Sendable {
    /// A button, which is no proof of presence.
    ///
    /// In a terminal, which belongs to the calling program, the passcode is typed instead.
    case consent
    /// The passcode, or a finger where one is waited for at the same time.
    ///
    /// `taking` checks the passcode. Where it is nil, the passcode unlocks the custodian as a whole.
    case passcode(taking: (any PasscodeChecking)?, orFinger: (any FingerMatching)? = nil)
    /// A finger on the reader, and nothing else.
    case finger(any FingerMatching)
    /// The item's own password, which `taking` checks; a new password is asked for twice.
    case password(isNew: Bool, taking: any PasscodeChecking)
    /// One of three answers about a changed program, and the passcode where there is one.
    ///
    /// `taking` checks the passcode for the widest answer.
    case admission(taking: any PasscodeChecking)
    /// One of several answers about an item of a file keychain.
    ///
    /// None of them counts before a secret was typed.
    case keychainAccess(KeychainAccessProof)
    /// The password of a file keychain, which opens it.
    case unlock(KeychainUnlockProof)

    /// Whether it shows that the person is there, which Apple calls an authentication.
    var isAuthentication: Bool {
        switch self {
        case .passcode, .finger, .password: true
        case .consent, .admission, .keychainAccess, .unlock: false
        }
    }

    /// Whether the answer itself counts.
    ///
    /// For every other proof the custodian relies on its own knowledge, not on an answer.
    var isRemembered: Bool {
        switch self {
        case .consent, .passcode(taking: nil, orFinger: nil), .keychainAccess: true
        case .passcode, .password, .finger, .admission, .unlock: false
        }
    }
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

/// Asks the person who sits at the machine.
protocol PersonAsking: Sendable {
    /// Begins to ask, and returns at once; the answer goes to ``PersonInquiry/answer(_:)``, from any thread.
    ///
    /// - Returns: false where nobody can be asked now.
    func ask(_ inquiry: PersonInquiry) -> Bool

    /// Withdraws all open questions, since the device is being locked.
    func close()

    /// Hears that a file keychain was made, or was opened by a password from elsewhere than a dialog.
    func noteOpening(of keychain: KeychainPath)

    /// Adds the programs about which no person is asked for a while.
    func add(to report: inout DaemonReport)
}
