import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// The questions that one answer may settle together (behaviour/dialogs.md, 25).
extension PersonQuestion {
    enum Topic {
        case keychain(KeychainPath)
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
            .keychain(path)
        default: nil
        }
    }

    func isAbout(_ topic: Topic) -> Bool {
        switch (subject, topic) {
        case (.changedProgram(let acceptance), .program(let path)): acceptance.change.path == path
        case (.keychainItem, .keychains), (.unlockKeychain, .keychains): true
        case (.keychainItem(let use), .keychain(let path)): use.keychain == path
        case (.unlockKeychain(let own), .keychain(let path)), (.newKeychain(let own), .keychain(let path)),
            (.loginKeychain(let own), .keychain(let path)):
            own == path
        default: false
        }
    }

    /// Whether the question is settled without an answer: the keychain that it is about was opened otherwise.
    var isSettled: Bool {
        if case .unlock(let proof) = proof { return proof.isUnlocked }
        return false
    }
}
