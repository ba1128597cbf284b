/// A domain of keychain preferences, by Apple's numbers (`SecPreferencesDomain`).
package enum PreferenceDomain: UInt8, Sendable, CaseIterable {
    case user = 0
    /// The preferences of the machine's services.
    case system = 1
    /// The keychains that are searched after every user's own.
    case common = 2
    /// Keychains that come and go with a device; this domain stores nothing.
    case dynamic = 3

    package var word: String {
        switch self {
        case .user: "user"
        case .system: "system"
        case .common: "common"
        case .dynamic: "dynamic"
        }
    }
}

/// A preference of a domain, by its number on the wire.
package enum KeychainPreference: UInt8, Sendable, CaseIterable {
    /// All keychains that are searched; in the user domain, its own list followed by the common one.
    case searched = 0
    /// The domain's own list.
    case searchList = 1
    case defaultKeychain = 2
    case loginKeychain = 3
}

/// A change that listeners are told of; it names the preference, not its new value.
package enum KeychainPreferencesChange: Hashable, Sendable {
    case searchList(PreferenceDomain)
    case defaultKeychain(PreferenceDomain)
}
