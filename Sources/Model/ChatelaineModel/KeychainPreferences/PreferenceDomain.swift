/// Whose keychain preferences are meant, by Apple's numbers (`SecPreferencesDomain`).
package enum PreferenceDomain: UInt8, Sendable, CaseIterable {
    case user = 0
    /// What services of the machine go by.
    case system = 1
    /// What follows every user's own search list.
    case common = 2
    /// Keychains that come and go with a device; nothing of it is stored.
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

/// What a domain says of keychains, by numbers that go over the wire.
package enum KeychainPreference: UInt8, Sendable, CaseIterable {
    /// All that is searched: of the user domain its own list, followed by the common one.
    case searched = 0
    /// The list that the domain has itself.
    case searchList = 1
    case defaultKeychain = 2
    case loginKeychain = 3
}

/// What whoever listens is told of; it says where to look, and not what is there.
package enum KeychainPreferencesChange: Hashable, Sendable {
    case searchList(PreferenceDomain)
    case defaultKeychain(PreferenceDomain)
}
