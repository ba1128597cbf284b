import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// What a person is asked: whether that program may do that.
struct PersonQuestion: Sendable {
    let caller: Identity
    let keychain: KeychainName
    var subject: PersonSubject
    /// By what the person answers.
    var proof = PersonProof.consent
    /// The reason that the program itself gives.
    var reason: String?
    /// What the program calls the button that ends the dialog.
    var cancelTitle: String?
    /// What it calls a button for another way than a biometric; nil where there is to be none.
    var fallbackTitle: String?
    /// The terminal of the calling process, found when there is something to ask.
    var terminal: String?
    /// The program that is the parent of the calling process, found likewise; a program chooses who its parent is.
    var parent: String?

    /// What a program is told where nobody can be asked.
    var unanswered: KeychainError {
        switch subject {
        case .unlockKeychain(let path): error("the keychain \(path.text) is locked; unlock it first")
        case .newKeychain(let path):
            error("nobody can be asked for the password of \(path.text); give it with the call")
        case .loginKeychain(let path):
            error("there is no default keychain; the next login makes \(path.text), or set one", .noDefaultKeychain)
        case .passphrase: error("nobody can be asked for the passphrase of the file; give it with the call")
        default: error("a person has to allow this, and nobody can be asked")
        }
    }

    private func error(_ reason: String, _ status: Status = .interactionNotAllowed) -> KeychainError {
        KeychainError(cause: .needsPerson, status: status, reason)
    }
}

/// What a program wants of a person.
enum PersonSubject: Sendable {
    /// To do that with an item.
    case item(RowOperation, ItemIdentifier, ItemClass, called: String)
    /// To know that it is them (``AuthenticationPolicy``).
    case presence
    /// To use items that have the same access control.
    case accessControl(AccessControlUse)
    /// To go on although its file changed.
    case changedProgram(ChangeAcceptance)
    /// To do something with an item of a file keychain.
    case keychainItem(KeychainItemUse)
    /// To use a file keychain that is locked.
    case unlockKeychain(KeychainPath)
    /// To make one, with a password of the person's.
    case newKeychain(KeychainPath)
    /// To make the login keychain, which takes what is added.
    case loginKeychain(KeychainPath)
    /// To change what is trusted.
    case trust(TrustChange)
    /// To read a file of keys that has a passphrase; or to write one, with a passphrase of the person's.
    case passphrase(isNew: Bool)

    /// Such an item as whoever decides describes it, for people. Programs have chosen what is in it.
    var text: String? {
        switch self {
        case .item(_, _, _, let text): text
        case .keychainItem(let use): use.label
        case .trust(let change): change.label
        default: nil
        }
    }

    var item: ItemIdentifier? {
        if case .item(_, let item, _, _) = self { return item }
        return nil
    }

    /// What is to be done with an item.
    var operation: RowOperation? {
        if case .item(let operation, _, _, _) = self { return operation }
        return nil
    }
}

/// By what a person answers.
package enum PersonProof: Sendable {
    /// A button, which is no proof of presence. In a terminal, which belongs to the program that asks, the passcode.
    case consent
    /// The passcode, which goes to whoever `taking` is; nil for the custodian as a whole, which it unlocks. Or a finger, where one is waited for at the
    /// same time.
    case passcode(taking: (any PasscodeChecking)?, orFinger: (any FingerMatching)? = nil)
    /// A finger on the reader, and nothing else.
    case finger(any FingerMatching)
    /// The item's own password, which goes to whoever `taking` is; a new one is asked for twice.
    case password(isNew: Bool, taking: any PasscodeChecking)
    /// One of three answers about a changed program, and the passcode where there is one; for the widest answer it goes to whoever `taking` is.
    case admission(taking: any PasscodeChecking)
    /// One of several answers about an item of a file keychain, none of which counts before something was typed.
    case keychainAccess(KeychainAccessProof)
    /// The password of a file keychain, which opens it.
    case unlock(KeychainUnlockProof)

    /// Whether the answer itself counts. Of everything else the custodian has its own knowledge, and no word of anybody's counts.
    var isRemembered: Bool {
        switch self {
        case .consent, .passcode(taking: nil, orFinger: nil), .keychainAccess: true
        case .passcode, .password, .finger, .admission, .unlock: false
        }
    }
}

/// What the person said.
enum PersonAnswer: Sendable {
    case allowed
    /// The program is let in until its connection ends; or it has this one use of an item of a file keychain.
    case allowedOnce
    /// The program takes the place of its former self in all items of that file keychain.
    case allowedEverywhere
    case denied
    /// Went away without an answer.
    case cancelled
    case timedOut
    /// Asks for another way than a biometric.
    case fallback
    /// Gave a wrong passcode as often as one may.
    case wrong
    /// The question was taken back, since the device was locked.
    case locked
    /// Nobody can be asked, and why.
    case impossible(KeychainError)

    /// What the program is told; nil where it may go on.
    var refusal: KeychainError? {
        switch self {
        case .allowed, .allowedOnce, .allowedEverywhere: nil
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

/// Puts questions to whoever sits at the machine.
protocol PersonAsking: Sendable {
    /// Begins to ask, and returns at once; the answer goes to ``PersonInquiry/answer(_:)``, from any thread.
    ///
    /// - Returns: false where nobody can be asked now.
    func ask(_ inquiry: PersonInquiry) -> Bool

    /// Takes every question back, since the device is being locked.
    func close()

    /// Tells which programs it does not ask about for a while.
    func add(to report: inout DaemonReport)
}

extension PersonAsking {
    func close() {}

    func add(to report: inout DaemonReport) {}
}
