import ChatelaineIPC
import ChatelaineIdentityPreferences
import ChatelaineMemory
import ChatelaineModel

/// What the verbs of macOS's command ask about file keychains.
package protocol FileKeychainService: FileItemService {
    /// With a password for each part of the command.
    func call(
        _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> KeychainPasswordReport
    func carryOut(_ command: KeychainCommand) throws(KeychainError)
    func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState
    /// Begins anew with an empty login keychain; the path of the former one, where there was one.
    func resetKeychains(password: SecretBytes) throws(KeychainError) -> String?
    /// Has a person asked for a password, in a dialog.
    func ask(_ question: KeychainQuestion) throws(KeychainError)
    func settings(ofKeychain path: KeychainPath, _ ui: AuthenticationUI) throws(KeychainError) -> KeychainSettings
    func set(
        _ settings: KeychainSettings, ofKeychain path: KeychainPath, _ ui: AuthenticationUI
    ) throws(KeychainError)
    func read(_ preference: KeychainPreference, of domain: PreferenceDomain) throws(KeychainError) -> [String]
    func set(_ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]) throws(KeychainError)

    // MARK: Items

    /// Has a private key made in a keychain, the default one where none is named.
    func makeKey(_ pair: NewKeyPair, in path: String?) throws(KeychainError) -> KeychainItem
    /// Has something done with a private key; what came of it.
    func useKey(_ use: KeyUsage, in scope: KeychainScope) throws(KeychainError) -> SecretBytes
    func access(
        of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
    ) throws(KeychainError) -> AccessObject
    func setAccess(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
    ) throws(KeychainError)
    /// With the keychain's password, for the partition list as well.
    func setAccess(
        _ changes: [ItemAccess], in path: String, password: SecretBytes
    ) throws(KeychainError) -> KeychainPasswordReport
    /// How access objects list the program at a path.
    func trustedApplication(at path: String?) throws(KeychainError) -> TrustedApplication
}
