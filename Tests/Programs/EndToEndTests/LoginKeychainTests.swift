import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that the login keychain follows the passcode.
@Suite struct LoginKeychainTests {
    private static let name = "login.keychain"
    private let household: Household
    private var client: KeychainClient { household.client }

    init() throws {
        household = try Household()
        try household.passcode(.set, Household.passcode)
    }

    private func name() throws { try client.set(.loginKeychain, of: .user, to: [try household.path(Self.name)]) }

    private var isUnlocked: Bool {
        get throws { try client.state(ofKeychain: KeychainPath(Self.name, try client.deployment)).isUnlocked }
    }

    private func log() throws -> String {
        try String(contentsOfFile: "\(household.home)/state/securityd.log", encoding: .utf8)
    }

    private func waitForLog(_ words: String, count: Int = 1) throws {
        try until(within: Program.patience) { ((try? log()) ?? "").components(separatedBy: words).count > count }
    }

    @Test func oneThatIsNamedAndMissingIsMadeWithThePasscode() throws {
        try name()
        try household.passcode(.unlock, Household.passcode)
        let path = try household.path(Self.name)
        try until(within: Program.patience) { (try? client.read(.defaultKeychain, of: .user)) == [path] }
        #expect(try client.read(.searchList, of: .user) == [path])
        try household.lock(Self.name)
        #expect(try household.unlock(Self.name, Household.passcode) == .done)
    }

    @Test func nothingIsMadeThatNobodyNeeds() throws {
        try household.passcode(.unlock, Household.passcode)
        // The work is sequential: once this call's is done, the earlier one's is done too.
        try household.create("another", Household.passcode)
        try client.set(.loginKeychain, of: .user, to: [try household.path("another")])
        try household.lock("another")
        try household.passcode(.unlock, Household.passcode)
        try waitForLog("the login keychain was unlocked")
        #expect(household.names(in: "data/keychains") == ["another-db"])
    }

    @Test func aLoginMakesOneWhereThereWasNever() throws {
        try household.create("another")
        try household.passcode(.logIn, Household.passcode)
        try waitForLog("the login keychain was made")
        let path = try household.path(Self.name)
        #expect(try client.read(.loginKeychain, of: .user) == [path])
        #expect(try client.read(.defaultKeychain, of: .user) == [path])
        #expect(try client.read(.searchList, of: .user) == [try household.path("another"), path])
        try household.lock(Self.name)
        try household.passcode(.logIn, Household.passcode)
        try until(within: Program.patience) { try isUnlocked }
    }

    /// A daemon that ends between creating and naming the keychain leaves one that no search would find.
    ///
    /// Before the login, `security unlock` may have unlocked it.
    @Test(arguments: [false, true]) func oneThatWasMadeAndNeverNamedIsNamedByTheNextLogin(isUnlocked: Bool) throws {
        try household.create("another")
        try household.create(Self.name, Household.passcode)
        try household.lock(Self.name)
        // The state is that of a keychain that was made but not named.
        let (path, another) = (try household.path(Self.name), try household.path("another"))
        try client.set(.searchList, of: .user, to: [another])
        if isUnlocked {
            try household.passcode(.unlock, Household.passcode)
            try until(within: Program.patience) { try self.isUnlocked }
        }
        #expect((try? client.read(.loginKeychain, of: .user)) != [path])
        try household.passcode(.logIn, Household.passcode)
        try until(within: Program.patience) { (try? client.read(.loginKeychain, of: .user)) == [path] }
        #expect(try client.read(.defaultKeychain, of: .user) == [path])
        #expect(try client.read(.searchList, of: .user) == [another, path])
    }

    @Test func whoDeletedItGetsNoOtherBeforeOneIsNeeded() throws {
        try household.passcode(.logIn, Household.passcode)
        try waitForLog("the login keychain was made")
        try household.delete(Self.name)
        for _ in 0..<2 { try household.passcode(.logIn, Household.passcode) }
        try household.passcode(.change, Household.passcode, "another passcode")
        try household.passcode(.logIn, "another passcode")
        try household.create("another", "another passcode")
        #expect(household.names(in: "data/keychains") == ["another-db"])
        #expect(throws: KeychainError(.noDefaultKeychain, "")) {
            try client.add(NewItem(itemClass: .genericPassword), to: nil)
        }
        try household.passcode(.unlock, "another passcode")
        let path = try household.path(Self.name)
        try until(within: Program.patience) { (try? client.read(.defaultKeychain, of: .user)) == [path] }
        try waitForLog("the login keychain was made", count: 2)
        #expect(try log().components(separatedBy: "the login keychain was made").count == 3, "at first, and now")
    }

    @Test func itIsUnlockedWhereThePasswordsAgree() throws {
        try household.create(Self.name, Household.passcode)
        _ = try client.device(.lock)
        #expect(try !isUnlocked)
        try household.passcode(.unlock, Household.passcode)
        try until(within: Program.patience) { try isUnlocked }
    }

    @Test func anotherPasswordIsOneSilentTry() throws {
        try household.create(Self.name, "its own")
        _ = try client.device(.lock)
        for _ in 0..<30 { #expect(try household.passcode(.unlock, Household.passcode).outcome == .done) }
        try waitForLog("the login keychain has another password")
        #expect(try !isUnlocked)
        let report = try client.device(.state)
        #expect(report.failures == 0 && report.delay == 0)
        #expect(try household.unlock(Self.name, "its own") == .done)
    }

    /// A refusal counts for one passcode and one password.
    @Test func aPasscodeThatBecomesItsPasswordOpensIt() throws {
        try household.create(Self.name, "its own")
        _ = try client.device(.lock)
        try household.passcode(.unlock, Household.passcode)
        try waitForLog("the login keychain has another password")
        try household.passcode(.change, Household.passcode, "its own")
        _ = try client.device(.lock)
        try household.passcode(.unlock, "its own")
        try until(within: Program.patience) { try isUnlocked }
    }

    @Test func itFollowsAChangeAndStaysLocked() throws {
        try household.create(Self.name, Household.passcode)
        try household.lock(Self.name)
        try household.passcode(.change, Household.passcode, "another passcode")
        try waitForLog("the login keychain has the new password")
        try until(within: Program.patience) { try !isUnlocked }
        #expect(try household.unlock(Self.name, Household.passcode) == .wrong)
        #expect(try household.unlock(Self.name, "another passcode") == .done)
    }

    @Test func whoAddsAnItemNamesIt() throws {
        let item = NewItem(itemClass: .genericPassword)
        do {
            _ = try client.add(item, to: nil)
            Issue.record("there is a default keychain")
        } catch { #expect(error.status == .noDefaultKeychain) }
        let path = try household.path(Self.name)
        #expect(try client.read(.loginKeychain, of: .user) == [path])
        #expect(household.names(in: "data/keychains") == [])
        try household.passcode(.unlock, Household.passcode)
        try until(within: Program.patience) { (try? client.read(.defaultKeychain, of: .user)) == [path] }
    }

    /// A reset keeps the former login keychain and its items under another name, and so does the next reset.
    @Test func aResetPutsItAside() throws {
        let usual = try household.path(Self.name)
        func reset(_ password: String) throws -> String? {
            try client.resetKeychains(password: SecretBytes(Array(password.utf8)))
        }
        func add(_ account: String) throws {
            var item = NewItem(itemClass: .genericPassword)
            item.attributes[.account] = .text(account)
            _ = try client.add(item, to: nil)
        }
        try household.create("another")
        #expect(try reset("first") == nil, "there was none")
        try add("ada")
        for (number, former) in [(1, "first"), (2, "second")] {
            let aside = try household.path("login_renamed_\(number).keychain")
            #expect(try reset(number == 1 ? "second" : "third") == aside)
            #expect(try client.state(ofKeychain: KeychainPath(Self.name, try client.deployment)).isUnlocked)
            #expect(try household.unlock("login_renamed_\(number).keychain", "wrong") == .wrong)
            #expect(try household.unlock("login_renamed_\(number).keychain", former) == .done)
            try add("ada")
        }
        let aside = try household.path("login_renamed_1.keychain")
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text("ada")
        #expect(try client.find(query, in: KeychainScope(paths: [aside])).count == 1)
        for preference in [KeychainPreference.searchList, .defaultKeychain, .loginKeychain] {
            #expect(try client.read(preference, of: .user) == [usual])
        }
        #expect(household.names(in: "data/keychains").count == 4)
    }

    /// If the former keychain cannot be renamed, a reset changes nothing.
    @Test func aResetWithoutRoomForAnotherNameChangesNothing() throws {
        try household.create(Self.name, "first")
        for number in 1...1000 {
            let path = "\(household.keychains)/login_renamed_\(number).keychain-db"
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
        }
        #expect(throws: KeychainError(.notAvailable, "")) {
            try client.resetKeychains(password: SecretBytes(Array("second".utf8)))
        }
        try household.lock(Self.name)
        #expect(try household.unlock(Self.name, "first") == .done)
    }

    @Test func theCredentialUnlocksItToo() throws {
        try household.create(Self.name, Household.passcode)
        household.dismiss()
        let folder = household.home + "/credentials"
        try #require(mkdir(folder, 0o700) == 0)
        try Data(Household.passcode.utf8).write(to: URL(fileURLWithPath: folder + "/chatelaine.passcode"))
        var variables = household.variables
        variables["CREDENTIALS_DIRECTORY"] = folder
        let daemon = try Program(["\(BuildFolder.daemons)/securityd"], environment: variables, isQuiet: true)
        try until(within: Program.patience) { household.daemonPID != nil }
        try until(within: Program.patience) { try isUnlocked }
        withExtendedLifetime(daemon) {}
    }
}
