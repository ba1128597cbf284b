import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// A keychain whose file was opened only to be read can be used, and is never written.
@Suite struct ReadOnlyKeychainTests {
    let fixture: KeychainFixture
    let keychain: FileKeychain
    let before: Data

    init() throws {
        fixture = try KeychainFixture()
        keychain = try fixture.madeElsewhere("ci")
        for index in 0..<40 { try keychain.add("svc", "\(index)", "secret \(index)") }
        try fixture.lock(keychain)
        before = try fixture.bytes("ci")
    }

    private func status(_ body: () throws -> Void) throws -> Status? {
        do { try body() } catch let error as KeychainError { return error.status }
        return nil
    }

    @Test func itIsUnlockedReadAndLocked() throws {
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY), "wrong") == .wrongPassword)
        #expect(try fixture.ours().isEmpty)
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY)) == .unlocked)
        for index in 0..<40 { #expect(try keychain.secret("svc", "\(index)") == "secret \(index)") }
        #expect(try !keychain.condition().isWritable)
        #expect(try fixture.bytes("ci") == before)
        #expect(try fixture.lock(keychain))
        #expect(try fixture.bytes("ci") == before)
        #expect(try fixture.ours().isEmpty)
        #expect(fixture.said() == "")
    }

    @Test func noChangeIsTaken() throws {
        try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY))
        #expect(try status { try keychain.add("svc", "new", "1") } == .readOnly)
        #expect(try status { try keychain.replaceSettings(KeychainSettings()) } == .readOnly)
        #expect(try status { try keychain.replaceHeader([1, 2, 3]) } == .readOnly)
        #expect(try keychain.secret("svc", "new") == nil)
        try fixture.lock(keychain)
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci")) == .unlocked)
        #expect(try keychain.condition().isWritable)
        try keychain.add("svc", "new", "1")
        try fixture.lock(keychain)
        #expect(try fixture.bytes("ci") != before)
    }

    @Test func noneIsMadeOrRestored() throws {
        _ = FileManager.default.createFile(atPath: fixture.path("empty"), contents: Data())
        let empty = fixture.elsewhere("empty")
        let make = fixture.custodian.make("x")
        #expect(try status { try empty.create(in: fixture.lend("empty", O_RDONLY), make) } == .readOnly)
        var isLocked = false
        #expect(
            try status {
                _ = try keychain.restore("any", lending: fixture.lend("ci", O_RDONLY)) { isLocked = true }
            } == .readOnly)
        #expect(!isLocked)
        #expect(try fixture.bytes("ci") == before)
    }

    @Test func aCrashLeavesNothing() throws {
        try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY))
        let after = try fixture.copiedInPlace()
        #expect(try after.bytes("ci") == before)
        let again = after.elsewhere("ci")
        #expect(try !again.condition().mayLackChanges)
        try after.unlock(again, lent: after.lend("ci"))
        #expect(try again.secret("svc", "7") == "secret 7")
        try after.lock(again)
        #expect(try after.ours().isEmpty)
        #expect(after.said() == "")
    }

    /// The disk became read-only while the daemon had changes that the file lacks.
    @Test func changesThatACrashLeftStayUntilTheFileIsWritable() throws {
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        try keychain.add("svc", "late", "late secret")
        let after = try fixture.copiedInPlace()
        let announced = try after.bytes("ci")
        let again = after.elsewhere("ci")
        try after.unlock(again, lent: after.lend("ci", O_RDONLY))
        #expect(try again.secret("svc", "late") == "late secret")
        #expect(try status { try again.add("svc", "new", "1") } == .readOnly)
        #expect(try after.lock(again))
        #expect(try after.bytes("ci") == announced)
        try after.unlock(again, lent: after.lend("ci"))
        #expect(try again.secret("svc", "late") == "late secret")
        try after.lock(again)
        #expect(try after.read("SELECT count(*) FROM items", from: "ci") == ["41"])
        #expect(try after.ours().isEmpty)
    }

    @Test func damageIsRecoveredInTheCopyAlone() throws {
        try fixture.garble(1...1, of: "ci")
        let garbled = try fixture.bytes("ci")
        try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY))
        #expect(try keychain.secret("svc", "7") == "secret 7")
        while try keychain.store().continueRecovery() {}
        #expect(try keychain.secret("svc", "39") == "secret 39")
        #expect(try status { try keychain.add("svc", "new", "1") } == .readOnly)
        try fixture.lock(keychain)
        #expect(try fixture.bytes("ci") == garbled)
    }

    @Test func othersMayReadItMeanwhile() throws {
        try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY))
        let other = fixture.elsewhere("ci", places: fixture.places("other"))
        #expect(try status { try fixture.unlock(other, lent: fixture.lend("ci")) } == .notAvailable)
        #expect(try fixture.unlock(other, lent: fixture.lend("ci", O_RDONLY)) == .unlocked)
        #expect(try other.secret("svc", "7") == "secret 7")
    }

    @Test func otherUsersLoseTheirAccess() throws {
        try #require(chmod(fixture.path("ci"), 0o444) == 0)
        try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY))
        let mode = try #require(try KeychainFile.status(of: fixture.path("ci"))).st_mode
        #expect(mode & 0o777 == 0o400)
    }
}
