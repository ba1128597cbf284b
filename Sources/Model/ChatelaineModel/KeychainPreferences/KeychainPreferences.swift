/// For each domain, the keychains to search, the one to which items are added, and the one to open at login.
///
/// This is a value; its owner stores it. Differences are found by whole paths, whatever form is stored
/// (behaviour/keychain-preferences.md, 13).
package struct KeychainPreferences: Equatable, Sendable {
    /// The most keychains in a list: a thousand have to work, and a search may open each of them.
    package static let maximumKeychains = 1000
    /// The name of the machine's own keychain in the machine's folder.
    package static let systemKeychain = "System.keychain"
    /// The name of a user's login keychain if no other is set.
    package static let loginKeychain = "login.keychain"

    /// The stored preferences of one domain.
    package struct Domain: Equatable, Sendable {
        /// Each keychain once, in the order of searching.
        package var searchList: [KeychainPlace] = []
        package var defaultKeychain: KeychainPlace?
        package var loginKeychain: KeychainPlace?
        /// Whether the login keychain was deleted, so that a login makes none until one is needed.
        package var hasGivenUpLogin = false

        package init(searchList: [KeychainPlace] = [], defaultKeychain: KeychainPlace? = nil) {
            self.searchList = searchList
            self.defaultKeychain = defaultKeychain
        }
    }

    package internal(set) var user = Domain()
    package internal(set) var system = Domain()
    package internal(set) var common = Domain()

    /// The preferences before any change.
    package init() { reset(.machines) }

    /// The part of the preferences that one file holds.
    package enum Part: Sendable, CaseIterable {
        /// The user domain.
        case users
        /// The system and the common domain.
        case machines
    }

    /// Resets a part to its state without a file.
    package mutating func reset(_ part: Part) {
        switch part {
        case .users: user = Domain()
        case .machines:
            let machine = [KeychainPlace(Self.systemKeychain)].compactMap { $0 }
            system = Domain(searchList: machine, defaultKeychain: machine.first)
            common = Domain(searchList: machine)
        }
    }

    /// Nil for the dynamic domain, which stores nothing.
    package func stored(_ domain: PreferenceDomain) -> Domain? {
        switch domain {
        case .user: user
        case .system: system
        case .common: common
        case .dynamic: nil
        }
    }

    /// The whole paths of the keychains that are searched, each once; the common ones follow the user's own.
    package func searchList(of domain: PreferenceDomain, in folders: KeychainFolders) -> [KeychainPlace] {
        let rest = domain == .user ? ownList(of: .common, in: folders) : []
        return Self.eachOnce(ownList(of: domain, in: folders) + rest)
    }

    /// The whole paths of the domain's own list; a caller that writes them back adds nothing.
    package func ownList(of domain: PreferenceDomain, in folders: KeychainFolders) -> [KeychainPlace] {
        (stored(domain)?.searchList ?? []).map { folders.path(of: $0, in: domain) }
    }

    /// - Throws: `errSecNoDefaultKeychain` if none is set, `errSecInvalidPrefsDomain` for the dynamic domain.
    package func defaultKeychain(
        of domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) -> KeychainPlace {
        guard let stored = stored(domain) else { throw Self.nothingStored }
        guard let path = stored.defaultKeychain else {
            throw KeychainError(
                .noDefaultKeychain,
                "the \(domain.word) domain has no default keychain; “security default-keychain -s NAME” sets one")
        }
        return folders.path(of: path, in: domain)
    }

    /// Nil if none is set.
    package func loginKeychain(of domain: PreferenceDomain, in folders: KeychainFolders) -> KeychainPlace? {
        stored(domain)?.loginKeychain.map { folders.path(of: $0, in: domain) }
    }

    /// The differences from the former preferences that programs can see.
    package func changes(
        since former: KeychainPreferences, in folders: KeychainFolders
    ) -> [KeychainPreferencesChange] {
        var changes: [KeychainPreferencesChange] = []
        for domain in PreferenceDomain.allCases {
            if searchList(of: domain, in: folders) != former.searchList(of: domain, in: folders) {
                changes.append(.searchList(domain))
            }
            let (new, old) = (stored(domain)?.defaultKeychain, former.stored(domain)?.defaultKeychain)
            if new.map({ folders.path(of: $0, in: domain) }) != old.map({ folders.path(of: $0, in: domain) }) {
                changes.append(.defaultKeychain(domain))
            }
        }
        return changes
    }

    static func eachOnce(_ paths: [KeychainPlace]) -> [KeychainPlace] {
        var seen: Set<KeychainPlace> = []
        return paths.filter { seen.insert($0).inserted }
    }

    static var nothingStored: KeychainError {
        KeychainError(
            .invalidPrefsDomain,
            "the dynamic domain has no preferences of its own; use the user, system or common domain")
    }
}
