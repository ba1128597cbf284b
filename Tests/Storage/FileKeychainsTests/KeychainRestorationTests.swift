import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// A snapshot takes the place of a keychain.
@Suite struct KeychainRestorationTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    private func status(_ body: () throws -> Void) throws -> Status? {
        do { try body() } catch let error as KeychainError { return error.status }
        return nil
    }

    /// An unlocked keychain with two items, and a snapshot from when it had one.
    private func grown(_ keychain: FileKeychain) throws -> (FileKeychain, snapshot: String) {
        try keychain.add("svc", "early", "1")
        let snapshot = try keychain.takeSnapshot(of: keychain.store()).name
        try keychain.add("svc", "late", "2")
        return (keychain, snapshot)
    }

    private func expectOlder(_ keychain: FileKeychain) throws {
        #expect(try keychain.secret("svc", "early") == "1" && keychain.secret("svc", "late") == nil)
        #expect(try keychain.store().losses().contains { $0.changes != 0 }, "as of any older copy")
        #expect(try keychain.condition().mayLackChanges, "who unlocks it is told")
    }

    /// Expects the replaced keychain to open and to be whole once somebody takes it out of the quarantine.
    private func expectWhole(_ aside: String, _ password: String = KeychainFixture.password) throws {
        try FileManager.default.copyItem(atPath: "\(aside)/items.db", toPath: fixture.path("aside"))
        let other = fixture.keychain("aside", places: fixture.places("other"))
        #expect(try fixture.unlock(other, password) == .unlocked)
        #expect(try other.secret("svc", "late") == "2")
        try fixture.lock(other)
    }

    @Test(arguments: [false, true])
    func itTakesThePlaceAndWhatStoodThereIsKept(_ isLockedBefore: Bool) throws {
        let (keychain, snapshot) = try grown(fixture.made("work"))
        if isLockedBefore { try fixture.lock(keychain) }
        let restored = try keychain.restore(snapshot) { keychain.lock(fixture.custodian.forget) }
        #expect(restored.snapshot.name == snapshot && !keychain.isUnlocked)
        #expect(try fixture.links("work") == 1 && fixture.names() == ["work.keychain-db"])
        #expect(try keychain.accountsUnverified("svc", fixture.custodian) == ["early"])
        #expect(try fixture.unlock(keychain) == .unlocked)
        try expectOlder(keychain)
        try keychain.add("svc", "later", "3")
        try fixture.lock(keychain)
        try expectWhole(restored.replaced)
    }

    @Test func thePasswordIsThatOfThen() throws {
        let (keychain, snapshot) = try grown(fixture.made("work"))
        try keychain.replaceHeader(fixture.custodian.header("other"))
        let restored = try keychain.restore(snapshot) { keychain.lock(fixture.custodian.forget) }
        #expect(try fixture.unlock(keychain, "other") == .wrongPassword)
        #expect(try fixture.unlock(keychain) == .unlocked)
        try expectOlder(keychain)
        try expectWhole(restored.replaced, "other")
    }

    @Test func whatCannotBeUsedChangesNothing() throws {
        let (keychain, snapshot) = try grown(fixture.made("work"))
        let other = try grown(fixture.made("other")).0
        let forbidden: () -> Void = { Issue.record("it is locked before anything is certain") }
        #expect(try status { _ = try keychain.restore("20000101T000000Z-1", forbidden) } == .itemNotFound)
        #expect(try status { _ = try keychain.restore("../other", forbidden) } == .itemNotFound)
        let folder = StorePlaces(store: fixture.places.store(of: try keychain.header().keychain)).snapshots
        let theirs = StorePlaces(store: fixture.places.store(of: try other.header().keychain)).snapshots
        let database = "\(folder)/\(snapshot)/items.db"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: theirs).first)
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.copyItem(atPath: "\(theirs)/\(name)/items.db", toPath: database)
        #expect(try status { _ = try keychain.restore(snapshot, forbidden) } == .notAvailable, "another keychain's")
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: database))
        #expect(try status { _ = try keychain.restore(snapshot, forbidden) } == .notAvailable, "damaged")
        #expect(try keychain.isUnlocked && keychain.secret("svc", "late") == "2")
        #expect(try fixture.ours().allSatisfy { !$0.hasPrefix("new-") })
    }

    /// The limit keeps a program that restores again and again from filling the disk.
    @Test func asManyAreKeptAsMayBe() throws {
        let (keychain, snapshot) = try grown(fixture.made("work"))
        let quarantine = StorePlaces(store: fixture.places.store(of: try keychain.header().keychain)).quarantine
        for name in [""] + (0..<StoreActivation.maximumSetAside).map({ "/\($0)" }) {
            try FileManager.default.createDirectory(
                atPath: quarantine + name, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        #expect(
            try status { _ = try keychain.restore(snapshot) { keychain.lock(fixture.custodian.forget) } }
                == .notAvailable)
        #expect(try fixture.unlock(keychain) == .unlocked)
        #expect(try keychain.secret("svc", "late") == "2")
    }

    @Test func anotherCopyThatIsOpenKeepsItFromThat() throws {
        let (keychain, snapshot) = try grown(fixture.made("work"))
        try fixture.lock(keychain)
        try fixture.copy("work", to: "copy")
        let places = fixture.places
        let (first, second) = (fixture.keychain("work", places: places), fixture.keychain("copy", places: places))
        try fixture.unlock(second)
        #expect(try status { _ = try first.restore(snapshot) {} } == .notAvailable)
        #expect(try second.secret("svc", "late") == "2")
        try fixture.lock(second)
        #expect(try first.restore(snapshot) {}.snapshot.name == snapshot)
    }

    /// A daemon that ends between the two halves has restored nothing: the keychain goes on, its log included.
    @Test(arguments: [false, true])
    func anEndInTheMiddleIsNone(_ hasLog: Bool) throws {
        let keychain = try grown(fixture.made("work")).0
        if !hasLog { try fixture.lock(keychain) }
        let after = try fixture.copiedAsOfNow()
        let again = after.keychain("work")
        let checkOut = FileCheckOut(places: after.places, keychain: try again.header().keychain)
        if !hasLog { try checkOut.begin(KeychainFile(after.path("work"))) }
        try checkOut.setAside()
        #expect(try after.links("work") == 2 && after.quarantined() == 1)
        #expect(try again.accountsUnverified("svc", after.custodian).sorted() == ["early", "late"])
        #expect(try after.unlock(again) == .unlocked)
        #expect(try again.secret("svc", "late") == "2" && again.store().losses().isEmpty)
        try after.lock(again)
        #expect(try after.links("work") == 1 && after.quarantined() == 0)
    }

    // MARK: Elsewhere

    @Test(arguments: [false, true])
    func oneElsewhereAsWell(_ isLockedBefore: Bool) throws {
        let (keychain, snapshot) = try grown(fixture.madeElsewhere("ci"))
        if isLockedBefore { try fixture.lock(keychain) }
        #expect(throws: KeychainError(.notAvailable, "")) { try keychain.restore(snapshot) {} }
        let lent = try keychain.openFile ?? fixture.lend("ci")
        let restored = try keychain.restore(snapshot, lending: lent) { keychain.lock(fixture.custodian.forget) }
        #expect(try fixture.names() == ["ci.keychain-db"] && !keychain.isUnlocked)
        #expect(try fixture.ours().allSatisfy { !$0.hasPrefix("new-") && !$0.hasSuffix(".lent") })
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci")) == .unlocked)
        try expectOlder(keychain)
        try fixture.lock(keychain)
        try expectWhole(restored.replaced)
    }

    /// The next daemon completes a write into the file that this one began, and takes nothing from the newer snapshots.
    @Test func anEndWhileAFileElsewhereIsWritten() throws {
        let (keychain, snapshot) = try grown(fixture.madeElsewhere("ci"))
        _ = try keychain.takeSnapshot(of: keychain.store())
        let lent = try #require(keychain.openFile)
        _ = try keychain.restore(snapshot, lending: lent) { keychain.lock(fixture.custodian.forget) }
        let (places, name) = (fixture.places, try keychain.header().keychain)
        try FileManager.default.createDirectory(
            atPath: places.store(of: name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(
            atPath: fixture.path("ci"), toPath: "\(places.store(of: name))/items.db")
        let file = try #require(try KeychainFile.identity(at: fixture.path("ci")))
        var record = LentRecord(keychain: name, token: CheckOutToken(), file: file, path: fixture.path("ci"))
        (record.isAnnounced, record.isRestored) = (true, true)
        try record.write(places)
        try fixture.write(Data("Chkw".utf8) + record.token.bytes + fixture.bytes("ci").dropFirst(16), over: "ci")
        let again = fixture.elsewhere("ci")
        #expect(try fixture.unlock(again, lent: fixture.lend("ci")) == .unlocked)
        try expectOlder(again)
        #expect(try LentRecord.read(of: name, places)?.isRestored == false)
        try fixture.lock(again)
        #expect(try fixture.unlock(again, lent: fixture.lend("ci")) == .unlocked)
        #expect(try again.secret("svc", "late") == nil)
    }
}
