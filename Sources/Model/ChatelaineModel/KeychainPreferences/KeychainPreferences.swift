/// Which keychains are searched, which one takes what is added, and which one opens at login: for each domain.
///
/// A value: who keeps it says where. What differs is told by whole paths, whatever they are stored as
/// (behaviour/keychain-preferences.md, 13).
package struct KeychainPreferences: Equatable, Sendable {
    /// Keychains in a list: a thousand have to work, and a search may open each of them.
    package static let maximumKeychains = 1000
    /// The machine's own keychain, below the machine's folder.
    package static let systemKeychain = "System.keychain"
    /// What a user's login keychain is called where no other is named.
    package static let loginKeychain = "login.keychain"

    /// What is stored of one domain.
    package struct Domain: Equatable, Sendable {
        /// In the order of searching, each once.
        package var searchList: [KeychainPlace] = []
        package var defaultKeychain: KeychainPlace?
        package var loginKeychain: KeychainPlace?
        /// Somebody has deleted the login keychain: none is made by a login until one is needed.
        package var hasGivenUpLogin = false

        package init(searchList: [KeychainPlace] = [], defaultKeychain: KeychainPlace? = nil) {
            self.searchList = searchList
            self.defaultKeychain = defaultKeychain
        }
    }

    package internal(set) var user = Domain()
    package internal(set) var system = Domain()
    package internal(set) var common = Domain()

    /// As it is where nobody has set anything.
    package init() { reset(.machines) }

    /// What one file holds.
    package enum Part: Sendable, CaseIterable {
        /// The user domain.
        case users
        /// The system and the common domain.
        case machines
    }

    /// As it is where there is no file.
    package mutating func reset(_ part: Part) {
        switch part {
        case .users: user = Domain()
        case .machines:
            let machine = [KeychainPlace(Self.systemKeychain)].compactMap { $0 }
            system = Domain(searchList: machine, defaultKeychain: machine.first)
            common = Domain(searchList: machine)
        }
    }

    /// Nil for the dynamic domain, of which nothing is stored.
    package func stored(_ domain: PreferenceDomain) -> Domain? {
        switch domain {
        case .user: user
        case .system: system
        case .common: common
        case .dynamic: nil
        }
    }

    /// The whole paths of the keychains that are searched, each once: the user's own are followed by the common ones.
    package func searchList(of domain: PreferenceDomain, in folders: KeychainFolders) -> [KeychainPlace] {
        let rest = domain == .user ? ownList(of: .common, in: folders) : []
        return Self.eachOnce(ownList(of: domain, in: folders) + rest)
    }

    /// Those that the domain names itself: who writes them back has added nothing.
    package func ownList(of domain: PreferenceDomain, in folders: KeychainFolders) -> [KeychainPlace] {
        (stored(domain)?.searchList ?? []).map { folders.path(of: $0, in: domain) }
    }

    /// - Throws: `errSecNoDefaultKeychain` where none is set, `errSecInvalidPrefsDomain` for the dynamic domain.
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

    /// Nil where none is set.
    package func loginKeychain(of domain: PreferenceDomain, in folders: KeychainFolders) -> KeychainPlace? {
        stored(domain)?.loginKeychain.map { folders.path(of: $0, in: domain) }
    }

    /// What differs from before, as programs see it.
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
