import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of search list, default keychain and login keychain with the real daemon.
@Suite struct KeychainPreferenceCallTests {
    private let household: Household
    private var client: KeychainClient { household.client }
    private let system = "/var/lib/chatelaine/keychains/System.keychain-db"

    init() throws { household = try Household() }

    private func status(_ body: () throws -> Void) -> Status? {
        do { try body() } catch { return (error as? KeychainError)?.status }
        return nil
    }

    private func own() throws -> [String] { try client.read(.searchList, of: .user) }

    @Test func whatIsMadeIsSearchedAndWhatIsDeletedIsNot() throws {
        #expect(try own() == [])
        #expect(status { _ = try client.read(.defaultKeychain, of: .user) } == .noDefaultKeychain)
        let (a, b) = (try household.path("a.keychain"), try household.path("b.keychain"))
        try household.create("a.keychain")
        try household.create("b.keychain")
        #expect(try own() == [a, b])
        #expect(status { try household.create("a.keychain") } == .duplicateKeychain)
        #expect(try own() == [a, b])
        try client.set(.defaultKeychain, of: .user, to: [b])
        try client.set(.loginKeychain, of: .user, to: [b])
        // The settings outlive the daemon.
        household.dismiss()
        #expect(try client.read(.defaultKeychain, of: .user) == [b])
        #expect(try client.read(.loginKeychain, of: .user) == [b])
        try household.delete("b.keychain")
        #expect(try own() == [a])
        #expect(status { _ = try client.read(.defaultKeychain, of: .user) } == .noDefaultKeychain)
        #expect(try client.read(.loginKeychain, of: .user) == [b], "a new one is made under its name")
        try #require(unlink(a) == 0)
        #expect(status { try household.delete("a.keychain") } == .noSuchKeychain)
        #expect(try own() == [])
    }

    @Test func theListsOfADomain() throws {
        let a = try household.path("a")
        #expect(try client.read(.searched, of: .user).last == system)
        try client.set(.searched, of: .user, to: [a, system, "/elsewhere/b", a])
        #expect(try own() == [a, "/elsewhere/b"])
        #expect(try client.read(.searched, of: .user) == [a, "/elsewhere/b", system])
        try client.set(.searchList, of: .user, to: [system, a])
        #expect(try own() == [system, a])
        try client.set(.searchList, of: .user, to: [])
        #expect(try own() == [])
        #expect(try client.read(.searchList, of: .dynamic) == [])
        #expect(try client.read(.searchList, of: .system) == [system])
        #expect(try client.read(.defaultKeychain, of: .system) == [system])
        for preference in KeychainPreference.allCases {
            #expect(status { try client.set(preference, of: .dynamic, to: []) } == .invalidPrefsDomain)
            #expect(status { try client.set(preference, of: .common, to: []) } == .readOnly)
            #expect(status { try client.set(preference, of: .user, to: ["a/b"]) } == .param)
        }
        #expect(status { _ = try client.read(.defaultKeychain, of: .dynamic) } == .invalidPrefsDomain)
        #expect(status { try client.set(.defaultKeychain, of: .user, to: [a, "b"]) } == .param)
        try client.set(.defaultKeychain, of: .user, to: [a])
        try client.set(.defaultKeychain, of: .user, to: [])
        #expect(status { _ = try client.read(.defaultKeychain, of: .user) } == .noDefaultKeychain)
    }

    /// The list has the most entries, with the longest paths.
    @Test func theLongestListGoesOverTheWire() throws {
        let long = String(repeating: "/" + String(repeating: "x", count: 250), count: 16)
        let list = (0..<KeychainPreferences.maximumKeychains).map { "\(long)/\($0)" }
        try client.set(.searchList, of: .user, to: list)
        #expect(try own() == list)
        #expect(status { try client.set(.searchList, of: .user, to: list + ["/one"]) } == .dataTooLarge)
        #expect(try own() == list)
        #expect(status { try household.create("a") } == .dataTooLarge)
        #expect(household.names(in: "data/keychains") == [])
    }

    @Test func noKeychainIsMadeThatCannotBeNamed() throws {
        try client.set(.searchList, of: .user, to: ["/a"])
        let file = "\(household.home)/data/keychain-preferences"
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: file))
        #expect(status { try household.create("a") } == .notAvailable)
        #expect(household.names(in: "data/keychains") == [])
        #expect(status { _ = try own() } == .notAvailable)
        try client.set(.searchList, of: .user, to: [])
        try household.create("a")
        #expect(try own() == [try household.path("a")])
    }

    @Test func programsShareThem() throws {
        let household = household
        let changes = Running(16) { index in
            try household.create("k\(index)")
            #expect(try household.client.read(.searchList, of: .user).contains(try household.path("k\(index)")))
        }
        try changes.join(within: 120)
        #expect(Set(try own()) == Set(try (0..<16).map { try household.path("k\($0)") }))
        let probe = try household.probe("other")
        #expect(try probe.ask(["call": "keychain-create", "path": "of another", "passcodes": ["x"]]).status == 0)
        #expect(try own().last == household.path("of another"))
    }
}
