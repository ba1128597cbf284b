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

    /// Whether a dialog with the question closes after an answer about the topic, wherever it is shown.
    ///
    /// A keychain that is open would take any text for its password, and one that exists is not made.
    func ends(with topic: Topic) -> Bool {
        if case .openKeychain(let path) = topic { subject.keychainToOpen == path } else { false }
    }

    /// Whether the question is settled without an answer: the keychain that it is about was opened otherwise.
    var isSettled: Bool { proof.isSettled }
}
