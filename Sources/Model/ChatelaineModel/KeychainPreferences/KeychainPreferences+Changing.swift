/// Changes of preferences; a call that throws changes nothing.
///
/// ``KeychainPreferences/changes(since:in:)`` tells what differs afterwards.
extension KeychainPreferences {
    /// Sets a domain's search list, in the given order; a repeated keychain keeps its first place.
    ///
    /// - Throws: `errSecInvalidPrefsDomain` for the dynamic domain, `errSecDataTooLarge` for too many, `errSecParam`
    ///   for a text that is no path.
    package mutating func setSearchList(
        _ given: [String], of domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) {
        var list: [KeychainPlace] = []
        for path in given { list.append(try folders.stored(path, in: domain)) }
        list = Self.eachOnce(list)
        guard list.count <= Self.maximumKeychains else { throw Self.tooMany }
        try change(domain) { $0.searchList = list }
    }

    /// Sets the keychains that are searched.
    ///
    /// The common keychains follow the user's own anyway, so they are left out of the user's list.
    package mutating func setSearched(
        _ given: [String], of domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) {
        var own = given
        if domain == .user {
            let common = Set(ownList(of: .common, in: folders))
            own = []
            for path in given where !common.contains(try folders.path(of: path, in: domain)) { own.append(path) }
        }
        try setSearchList(own, of: domain, in: folders)
    }

    /// - Parameter given: nil for none.
    package mutating func setDefaultKeychain(
        _ given: String?, of domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) {
        let path = try stored(given, domain, folders)
        try change(domain) { $0.defaultKeychain = path }
    }

    /// - Parameter given: nil for none.
    package mutating func setLoginKeychain(
        _ given: String?, of domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) {
        let path = try stored(given, domain, folders)
        try change(domain) { stored in
            stored.loginKeychain = path
            if path != nil { stored.hasGivenUpLogin = false }
        }
    }

    /// Adds a new keychain to the end of the domain's search list, unless it is searched already.
    package mutating func add(
        _ given: String, to domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) {
        let path = try folders.stored(given, in: domain)
        try change(domain) { stored in
            if stored.isLogin(folders.path(of: path, in: domain), of: domain, in: folders) {
                stored.hasGivenUpLogin = false
            }
        }
        guard !searchList(of: domain, in: folders).contains(folders.path(of: path, in: domain)) else { return }
        let isFull = stored(domain).map { $0.searchList.count >= Self.maximumKeychains } ?? false
        guard !isFull else { throw Self.tooMany }
        try change(domain) { $0.searchList.append(path) }
    }

    /// Removes a deleted keychain from the search list, and as the default.
    ///
    /// The login keychain keeps its name. A new one of that name is made when it is needed, not before.
    package mutating func remove(
        _ given: String, from domain: PreferenceDomain, in folders: KeychainFolders
    ) throws(KeychainError) {
        let gone = try folders.path(of: given, in: domain)
        try change(domain) { stored in
            stored.searchList.removeAll { folders.path(of: $0, in: domain) == gone }
            if stored.defaultKeychain.map({ folders.path(of: $0, in: domain) }) == gone { stored.defaultKeychain = nil }
            if stored.isLogin(gone, of: domain, in: folders) { stored.hasGivenUpLogin = true }
        }
    }

    private func stored(
        _ given: String?, _ domain: PreferenceDomain, _ folders: KeychainFolders
    ) throws(KeychainError) -> KeychainPlace? {
        guard let given else { return nil }
        return try folders.stored(given, in: domain)
    }

    private mutating func change(_ domain: PreferenceDomain, _ body: (inout Domain) -> Void) throws(KeychainError) {
        switch domain {
        case .user: body(&user)
        case .system: body(&system)
        case .common: body(&common)
        case .dynamic: throw Self.nothingStored
        }
    }

    private static var tooMany: KeychainError {
        KeychainError(
            .dataTooLarge, "a search list has \(maximumKeychains) keychains at the most; take some off the list first")
    }
}

extension KeychainPreferences.Domain {
    /// Whether the path is that of the login keychain: the named one, or the user's of the usual name.
    fileprivate func isLogin(_ path: KeychainPlace, of domain: PreferenceDomain, in folders: KeychainFolders) -> Bool {
        let usual = domain == .user ? KeychainPlace(KeychainPreferences.loginKeychain) : nil
        return (loginKeychain ?? usual).map { folders.path(of: $0, in: domain) } == path
    }
}
