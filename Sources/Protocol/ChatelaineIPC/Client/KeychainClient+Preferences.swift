import ChatelaineModel

/// Which file keychains are searched, and which one is the default.
extension KeychainClient {
    /// The paths of a preference, in order.
    package func read(
        _ preference: KeychainPreference, of domain: PreferenceDomain
    ) throws(KeychainError) -> [String] { try call(ReadKeychainPreference(preference, of: domain)).paths }

    package func set(
        _ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]
    ) throws(KeychainError) { _ = try call(SetKeychainPreference(preference, of: domain, to: places)) }
}
