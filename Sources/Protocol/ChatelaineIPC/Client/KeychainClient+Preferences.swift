import ChatelaineModel

/// File keychains as a whole: which are searched, which one is the default, and what is done without a password.
extension KeychainClient {
    /// The paths of a preference, in order.
    package func read(
        _ preference: KeychainPreference, of domain: PreferenceDomain
    ) throws(KeychainError) -> [String] { try call(ReadKeychainPreference(preference, of: domain)).paths }

    package func set(
        _ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]
    ) throws(KeychainError) { _ = try call(SetKeychainPreference(preference, of: domain, to: places)) }

    /// When a keychain locks by itself; of an unlocked one alone.
    package func settings(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainSettings {
        try call(ReadKeychainSettings(path: path.text))
    }

    package func set(_ settings: KeychainSettings, ofKeychain path: KeychainPath) throws(KeychainError) {
        _ = try call(SetKeychainSettings(path: path.text, to: settings))
    }

    package func carryOut(_ command: KeychainCommand) throws(KeychainError) {
        if case .delete(let path) = command, try isElsewhere(path) {
            return try delete(elsewhere: path) { () throws(KeychainError) in _ = try call(command) }
        }
        _ = try call(command)
    }
}
