import ChatelaineModel

/// Requests about whole file keychains: the search list, the default keychain, and settings.
extension KeychainClient {
    /// The paths of a preference, in order.
    package func read(
        _ preference: KeychainPreference, of domain: PreferenceDomain
    ) throws(KeychainError) -> [String] { try call(ReadKeychainPreference(preference, of: domain)).paths }

    package func set(
        _ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]
    ) throws(KeychainError) { _ = try call(SetKeychainPreference(preference, of: domain, to: places)) }

    /// When a keychain locks by itself.
    ///
    /// - Parameter ui: whether a person is asked for the password of a locked keychain.
    package func settings(
        ofKeychain path: KeychainPath, _ ui: AuthenticationUI
    ) throws(KeychainError) -> KeychainSettings { try call(ReadKeychainSettings(path: path.text, ui)) }

    package func set(
        _ settings: KeychainSettings, ofKeychain path: KeychainPath, _ ui: AuthenticationUI
    ) throws(KeychainError) { _ = try call(SetKeychainSettings(path: path.text, to: settings, ui)) }

    /// Has a person give the password that the question needs.
    package func ask(_ question: KeychainQuestion) throws(KeychainError) {
        guard case .create(let path) = question, try isElsewhere(path) else { return _ = try call(question) }
        try create(elsewhere: path) { () throws(KeychainError) in _ = try call(question) }
    }

    package func carryOut(_ command: KeychainCommand) throws(KeychainError) {
        if case .delete(let path) = command, try isElsewhere(path) {
            return try delete(elsewhere: path) { () throws(KeychainError) in _ = try call(command) }
        }
        _ = try call(command)
    }
}
