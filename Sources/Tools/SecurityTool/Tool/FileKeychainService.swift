import ChatelaineIPC
import ChatelaineIdentityPreferences
import ChatelaineMemory
import ChatelaineModel

/// The operations on file keychains for the verbs of macOS's command.
package protocol FileKeychainService: FileItemService {
    /// Runs a command, with a password for each of its parts.
    func call(
        _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> KeychainPasswordReport
    func carryOut(_ command: KeychainCommand) throws(KeychainError)
    func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState
    /// Replaces the login keychain by an empty one; returns the path of the former one, if there was one.
    func resetKeychains(password: SecretBytes) throws(KeychainError) -> String?
    /// Asks a person for a password, in a dialog.
    func ask(_ question: KeychainQuestion) throws(KeychainError)
    func settings(ofKeychain path: KeychainPath, _ ui: AuthenticationUI) throws(KeychainError) -> KeychainSettings
    func set(
        _ settings: KeychainSettings, ofKeychain path: KeychainPath, _ ui: AuthenticationUI
    ) throws(KeychainError)
    func read(_ preference: KeychainPreference, of domain: PreferenceDomain) throws(KeychainError) -> [String]
    func set(_ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]) throws(KeychainError)

    // MARK: Items

    /// Makes a private key in a keychain; the default one if none is named.
    func makeKey(_ pair: NewKeyPair, in path: String?) throws(KeychainError) -> KeychainItem
    /// Uses a private key; returns the result.
    func useKey(_ use: KeyUsage, in scope: KeychainScope) throws(KeychainError) -> SecretBytes
    func access(
        of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
    ) throws(KeychainError) -> AccessObject
    func setAccess(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
    ) throws(KeychainError)
    /// Sets access objects with the keychain's password, so that partition lists may change too.
    func setAccess(
        _ changes: [ItemAccess], in path: String, password: SecretBytes
    ) throws(KeychainError) -> KeychainPasswordReport
    /// The entry in access objects for the program at a path.
    func trustedApplication(at path: String?) throws(KeychainError) -> TrustedApplication
}
