/// What became of the passcode with which securityd was started.
///
/// The words are in reports (`wire.md`); they never change.
package enum CredentialOutcome: String, CaseIterable, Sendable {
    case unlocked = "unlocked"
    case wrong = "wrong"
    /// The custodian did not look at the passcode, since there were too many wrong tries.
    case delayed = "delayed"
    case noPasscode = "no-passcode"
    /// The credential cannot be read, or there is no keychain.
    case unusable = "unusable"
}
