import Testing

@testable import ChatelaineModel

/// Tests of the names of keychains, and of their names in preferences.
@Suite struct KeychainFoldersTests {
    private let folders = KeychainFolders(user: "/data/keychains", machine: "/machine")

    private func path(_ given: String, _ domain: PreferenceDomain = .user) -> String? {
        try? folders.path(of: given, in: domain).text
    }

    private func stored(_ given: String, _ domain: PreferenceDomain = .user) -> String? {
        try? folders.stored(given, in: domain).text
    }

    @Test func aNameIsInTheFolderOfItsDomain() {
        #expect(path("login.keychain") == "/data/keychains/login.keychain-db")
        #expect(path("login.keychain-db") == "/data/keychains/login.keychain-db")
        for domain in [PreferenceDomain.system, .common] {
            #expect(path("System.keychain", domain) == "/machine/System.keychain-db")
        }
        #expect(KeychainFolders(user: "/x").machine == "/var/lib/chatelaine/keychains")
    }

    @Test func preferencesStoreTheNameWithoutDB() {
        for given in ["a.keychain", "a.keychain-db", "/data/keychains/a.keychain", "/data/keychains/a.keychain-db"] {
            #expect(stored(given) == "a.keychain")
        }
        #expect(stored("/machine/System.keychain", .system) == "System.keychain")
        #expect(stored("/machine/System.keychain") == "/machine/System.keychain-db")
        #expect(stored("x-db-db") == "x-db")
        #expect(stored("-db") == "/data/keychains/-db")
    }

    @Test func namesElsewhereAreTakenAsTheyAre() {
        for given in ["/tmp/x.keychain", "/tmp/x.keychain-db", "/data/keychains/sub/y", "/data/keychainsx/y", "/-db"] {
            #expect(path(given) == given && stored(given) == given)
        }
    }

    /// Every stored form leads back to exactly the same path.
    @Test func whatIsStoredLeadsBack() throws {
        let given = [
            "a", "a-db", "a-db-db", "-db", "-db-db", "/tmp/a", "/tmp/a-db", "\u{E9}.keychain", "e\u{301}.keychain",
            "\u{600}-db", "a b", "a\nb", "/machine/a", "/machine/b/a", "\u{1F511}", String(repeating: "x", count: 4000),
        ]
        for given in given {
            for domain in [PreferenceDomain.user, .system, .common] {
                let stored = try folders.stored(given, in: domain)
                #expect(folders.path(of: stored, in: domain) == (try folders.path(of: given, in: domain)))
                let again = try folders.stored(folders.path(of: stored, in: domain).text, in: domain)
                #expect(again == stored)
            }
        }
        let (one, two) = (try folders.stored("\u{E9}", in: .user), try folders.stored("e\u{301}", in: .user))
        #expect(one != two)
    }

    /// A file may contain a form that no call has stored.
    @Test func whatAFileSaysIsAWholePath() throws {
        let longest = try #require(KeychainPlace(String(repeating: "x", count: KeychainPlace.maximumBytes)))
        #expect(folders.path(of: longest, in: .user).isAbsolute)
        let ours = try #require(KeychainPlace("/data/keychains/a"))
        #expect(folders.path(of: ours, in: .user).text == "/data/keychains/a-db")
    }

    @Test func whatNamesNoFileIsRefused() {
        let longest = String(repeating: "x", count: KeychainPlace.maximumBytes)
        for given in [
            "", "/", ".", "..", "../x", "sub/x", "/a/../x", "/a/./x", "/a/", "//a", "a\0b", "/" + longest, longest,
        ] {
            #expect(throws: KeychainError(.param, "")) { try folders.path(of: given, in: .user) }
            #expect(throws: KeychainError(.param, "")) { try folders.stored(given, in: .user) }
        }
    }
}
