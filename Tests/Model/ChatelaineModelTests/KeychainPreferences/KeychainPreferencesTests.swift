import Testing

@testable import ChatelaineModel

/// Tests of search lists, default keychain and login keychain of each domain, as values.
@Suite struct KeychainPreferencesTests {
    private let folders = KeychainFolders(user: "/data/keychains", machine: "/machine")
    private let system = "/machine/System.keychain-db"

    private func list(_ preferences: KeychainPreferences, _ domain: PreferenceDomain = .user) -> [String] {
        preferences.searchList(of: domain, in: folders).map(\.text)
    }

    private func user(_ names: [String]) throws -> KeychainPreferences {
        var preferences = KeychainPreferences()
        try preferences.setSearchList(names, of: .user, in: folders)
        return preferences
    }

    @Test func domainsHaveApplesNumbers() {
        #expect(PreferenceDomain.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(PreferenceDomain.allCases.map(\.word) == ["user", "system", "common", "dynamic"])
    }

    @Test func nothingIsSetToBeginWith() {
        let preferences = KeychainPreferences()
        #expect(list(preferences) == [system] && list(preferences, .common) == [system])
        #expect(list(preferences, .system) == [system] && list(preferences, .dynamic).isEmpty)
        #expect(throws: KeychainError(.noDefaultKeychain, "")) {
            try preferences.defaultKeychain(of: .user, in: folders)
        }
        #expect(throws: KeychainError(.noDefaultKeychain, "")) {
            try preferences.defaultKeychain(of: .common, in: folders)
        }
        #expect((try? preferences.defaultKeychain(of: .system, in: folders))?.text == system)
        for domain in PreferenceDomain.allCases { #expect(preferences.loginKeychain(of: domain, in: folders) == nil) }
    }

    @Test func theUserDomainIsFollowedByTheCommonList() throws {
        var preferences = try user(["b", "a"])
        #expect(list(preferences) == ["/data/keychains/b-db", "/data/keychains/a-db", system])
        try preferences.setSearchList(["/tmp/all", "System.keychain"], of: .common, in: folders)
        #expect(list(preferences) == ["/data/keychains/b-db", "/data/keychains/a-db", "/tmp/all", system])
        #expect(list(preferences, .system) == [system])
        try preferences.setSearchList(["/machine/System.keychain", "/tmp/all", "a"], of: .user, in: folders)
        #expect(list(preferences) == [system, "/tmp/all", "/data/keychains/a-db"])
        try preferences.setSearchList([], of: .common, in: folders)
        try preferences.setSearchList([], of: .user, in: folders)
        #expect(list(preferences).isEmpty)
    }

    @Test func theDynamicDomainIsRefused() throws {
        let refused = KeychainError(.invalidPrefsDomain, "")
        var preferences = try user(["a"])
        let before = preferences
        #expect(throws: refused) { try preferences.setSearchList(["a"], of: .dynamic, in: folders) }
        #expect(throws: refused) { try preferences.setDefaultKeychain("a", of: .dynamic, in: folders) }
        #expect(throws: refused) { try preferences.setDefaultKeychain(nil, of: .dynamic, in: folders) }
        #expect(throws: refused) { try preferences.setLoginKeychain("a", of: .dynamic, in: folders) }
        #expect(throws: refused) { try preferences.add("a", to: .dynamic, in: folders) }
        #expect(throws: refused) { try preferences.remove("a", from: .dynamic, in: folders) }
        #expect(throws: refused) { try preferences.defaultKeychain(of: .dynamic, in: folders) }
        #expect(preferences == before && list(preferences, .dynamic).isEmpty)
    }

    @Test func theOrderIsKeptAndAListChangeIsToldOnlyIfTheListDiffers() throws {
        let before = try user(["c", "a", "b", "a-db", "/data/keychains/c"])
        #expect(before.user.searchList.map(\.text) == ["c", "a", "b"])
        #expect(try user(["c", "/data/keychains/a-db", "b"]).changes(since: before, in: folders).isEmpty)
        #expect(try user(["a", "c", "b"]).changes(since: before, in: folders) == [.searchList(.user)])
        // A keychain that the common list adds at the end anyway makes no difference to searches.
        #expect(try user(["c", "a", "b", system]).changes(since: before, in: folders).isEmpty)
        var common = before
        try common.setSearchList([], of: .common, in: folders)
        #expect(common.changes(since: before, in: folders) == [.searchList(.user), .searchList(.common)])
    }

    @Test func aDefaultChangeIsToldOnlyIfItDiffers() throws {
        let before = KeychainPreferences()
        var preferences = before
        try preferences.setDefaultKeychain("a", of: .user, in: folders)
        #expect(try preferences.defaultKeychain(of: .user, in: folders).text == "/data/keychains/a-db")
        #expect(preferences.changes(since: before, in: folders) == [.defaultKeychain(.user)])
        let set = preferences
        try preferences.setDefaultKeychain("/data/keychains/a-db", of: .user, in: folders)
        #expect(preferences.changes(since: set, in: folders).isEmpty)
        try preferences.setDefaultKeychain(nil, of: .user, in: folders)
        #expect(preferences.changes(since: set, in: folders) == [.defaultKeychain(.user)])
        #expect(preferences.changes(since: before, in: folders).isEmpty)
        try preferences.setDefaultKeychain("a", of: .common, in: folders)
        #expect(preferences.changes(since: before, in: folders) == [.defaultKeychain(.common)])
        #expect(try preferences.defaultKeychain(of: .common, in: folders).text == "/machine/a-db")
    }

    @Test func theLoginKeychainIsApart() throws {
        var preferences = KeychainPreferences()
        try preferences.setLoginKeychain("login.keychain", of: .user, in: folders)
        #expect(preferences.loginKeychain(of: .user, in: folders)?.text == "/data/keychains/login.keychain-db")
        #expect(preferences.changes(since: KeychainPreferences(), in: folders).isEmpty)
        try preferences.setLoginKeychain(nil, of: .user, in: folders)
        #expect(preferences == KeychainPreferences())
    }

    @Test func aNewKeychainIsAppended() throws {
        var preferences = try user(["a"])
        try preferences.add("new", to: .user, in: folders)
        try preferences.add("/data/keychains/new-db", to: .user, in: folders)
        try preferences.add(system, to: .user, in: folders)
        #expect(preferences.user.searchList.map(\.text) == ["a", "new"])
        try preferences.add("/tmp/x", to: .user, in: folders)
        #expect(preferences.user.searchList.map(\.text) == ["a", "new", "/tmp/x"])
    }

    @Test func aDeletedKeychainIsTakenOff() throws {
        var preferences = try user(["a", "b", "/tmp/x"])
        try preferences.setDefaultKeychain("b", of: .user, in: folders)
        try preferences.setLoginKeychain("b", of: .user, in: folders)
        let before = preferences
        try preferences.remove("/data/keychains/b-db", from: .user, in: folders)
        #expect(preferences.user.searchList.map(\.text) == ["a", "/tmp/x"])
        #expect(throws: KeychainError(.noDefaultKeychain, "")) {
            try preferences.defaultKeychain(of: .user, in: folders)
        }
        #expect(preferences.loginKeychain(of: .user, in: folders)?.text == "/data/keychains/b-db")
        #expect(preferences.changes(since: before, in: folders) == [.searchList(.user), .defaultKeychain(.user)])
        #expect(preferences.user.hasGivenUpLogin)
        try preferences.remove("unknown", from: .user, in: folders)
        try preferences.remove("/tmp/x", from: .user, in: folders)
        #expect(preferences.user.searchList.map(\.text) == ["a"])
    }

    /// After its deletion, there is no login keychain until one is made or named again.
    @Test func whoDeletesTheLoginKeychainWantsNone() throws {
        var preferences = try user(["a"])
        try preferences.remove("a", from: .user, in: folders)
        #expect(!preferences.user.hasGivenUpLogin)
        try preferences.remove("login.keychain", from: .user, in: folders)
        #expect(preferences.user.hasGivenUpLogin, "the usual one, where none is named")
        try preferences.add("b", to: .user, in: folders)
        try preferences.setLoginKeychain(nil, of: .user, in: folders)
        #expect(preferences.user.hasGivenUpLogin)
        try preferences.add("login.keychain", to: .user, in: folders)
        #expect(!preferences.user.hasGivenUpLogin)
        try preferences.remove("login.keychain", from: .user, in: folders)
        try preferences.setLoginKeychain("login.keychain", of: .user, in: folders)
        #expect(!preferences.user.hasGivenUpLogin)
    }

    @Test func aThousandKeychainsAndNoMore() throws {
        let names = (0..<KeychainPreferences.maximumKeychains).map { "keychain \($0)" }
        var preferences = try user(names + names)
        #expect(list(preferences).count == 1001)
        let before = preferences
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try preferences.setSearchList(names + ["one more"], of: .user, in: folders)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try preferences.add("one more", to: .user, in: folders) }
        try preferences.add(names[7], to: .user, in: folders)
        #expect(throws: KeychainError(.param, "")) { try preferences.setSearchList(["a", ""], of: .user, in: folders) }
        #expect(preferences == before)
    }

    /// A program may read the searched keychains and set them with one more.
    ///
    /// Only that one is added to the user's list.
    @Test func commonKeychainsAreNotMadeOnesOwn() throws {
        var preferences = KeychainPreferences()
        let common = preferences.searchList(of: .user, in: folders).map(\.text)
        #expect(common == preferences.ownList(of: .common, in: folders).map(\.text) && !common.isEmpty)
        #expect(preferences.ownList(of: .user, in: folders) == [])
        try preferences.setSearched(["a"] + common, of: .user, in: folders)
        #expect(preferences.ownList(of: .user, in: folders).map(\.text) == [try folders.path(of: "a", in: .user).text])
        // A query for the domain's own list returns exactly what was set.
        try preferences.setSearchList(common, of: .user, in: folders)
        #expect(preferences.ownList(of: .user, in: folders).map(\.text) == common)
    }
}
