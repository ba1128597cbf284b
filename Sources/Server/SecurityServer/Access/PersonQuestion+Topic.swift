import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// The questions that one answer may settle together (behaviour/dialogs.md, 25).
extension PersonQuestion {
    enum Topic {
        case keychain(KeychainPath)
        /// A keychain that was unlocked or made.
        case openKeychain(KeychainPath)
        /// Any file keychain, since *Change all* may concern all of them.
        case keychains
        /// A changed program.
        case program(CanonicalPath)
    }

    /// The topic about which waiting requests have to decide anew after an answer; nil where the answer is for one
    /// request alone.
    func topic(settledBy answer: PersonAnswer) -> Topic? {
        switch (subject, answer) {
        case (.changedProgram(let acceptance), .allowed), (.changedProgram(let acceptance), .allowedOnce):
            .program(acceptance.change.path)
        case (.keychainItem, .allowedEverywhere): .keychains
        case (.keychainItem(let use), .allowed): .keychain(use.keychain)
        case (.unlockKeychain(let path), .allowed), (.newKeychain(let path), .allowed),
            (.loginKeychain(let path), .allowed):
            .openKeychain(path)
        default: nil
        }
    }

    func isAbout(_ topic: Topic) -> Bool {
        switch (subject, topic) {
        case (.changedProgram(let acceptance), .program(let path)): acceptance.change.path == path
        case (.keychainItem, .keychains), (.unlockKeychain, .keychains): true
        case (.keychainItem(let use), .keychain(let path)), (.keychainItem(let use), .openKeychain(let path)):
            use.keychain == path
        case (_, .openKeychain(let path)), (_, .keychain(let path)): keychainToOpen == path
        default: false
        }
    }

    /// Whether a dialog with the question closes after an answer about the topic, wherever it is shown.
    ///
    /// A keychain that is open would take any text for its password, and one that exists is not made.
    func ends(with topic: Topic) -> Bool {
        if case .openKeychain(let path) = topic { keychainToOpen == path } else { false }
    }

    /// The keychain that the question wants unlocked or made.
    private var keychainToOpen: KeychainPath? {
        switch subject {
        case .unlockKeychain(let path), .newKeychain(let path), .loginKeychain(let path): path
        default: nil
        }
    }

    /// Whether the question is settled without an answer: the keychain that it is about was opened otherwise.
    var isSettled: Bool {
        if case .unlock(let proof) = proof { return proof.isUnlocked }
        return false
    }
}
