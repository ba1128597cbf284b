import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// What the verbs of macOS's command ask about file keychains.
package protocol FileKeychainService: Sendable {
    /// With a password for each part of the command.
    func call(
        _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> KeychainPasswordReport
    func carryOut(_ command: KeychainCommand) throws(KeychainError)
    func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState
    func settings(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainSettings
    func set(_ settings: KeychainSettings, ofKeychain path: KeychainPath) throws(KeychainError)
    func read(_ preference: KeychainPreference, of domain: PreferenceDomain) throws(KeychainError) -> [String]
    func set(_ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]) throws(KeychainError)
}
