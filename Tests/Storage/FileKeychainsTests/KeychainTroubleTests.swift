import ChatelaineModel
import Foundation
import GRDBSQLite
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// Others copy, move, exchange and change files of keychains, while a keychain is open and while it is closed.
@Suite struct KeychainTroubleTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    private func status(_ body: () throws -> Void) throws -> Status? {
        do { try body() } catch let error as KeychainError { return error.status }
        return nil
    }

    // MARK: The end of a daemon

    @Test func whatWasAcknowledgedIsThereAfterACrash() throws {
        let keychain = try fixture.made("work")
        for index in 0..<40 { try keychain.add("svc", "\(index)", "secret \(index)") }
        let after = try fixture.copiedAsOfNow()
        let again = after.keychain("work")
        #expect(try again.accountsUnverified("svc", after.custodian).count == 40)
        #expect(try after.unlock(again) == .unlocked)
        for index in 0..<40 { #expect(try again.secret("svc", "\(index)") == "secret \(index)") }
        try after.lock(again)
        #expect(try after.links("work") == 1)
        #expect(try after.ours().isEmpty)
        #expect(after.said() == "")
    }

    @Test func anotherSecuritydIsRefusedWhileItIsOpen() throws {
        let keychain = try fixture.made("work")
        let other = fixture.keychain("work", places: fixture.places("other"))
        #expect(try status { try fixture.unlock(other) } == .notAvailable)
        try fixture.lock(keychain)
        #expect(try fixture.unlock(other) == .unlocked)
    }

    /// A search at any moment finds the file as it was before a change or as it is after it.
    @Test func namesAreReadWhileOthersLockAndUnlock() async throws {
        let keychain = try fixture.made("work")
        for account in ["anna", "bert"] { try keychain.add("svc", account, "1") }
        try fixture.lock(keychain)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<20 {
                    try fixture.unlock(keychain)
                    try fixture.lock(keychain)
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<100 {
                        let found = try keychain.accountsUnverified("svc", fixture.custodian)
                        #expect(found == ["anna", "bert"])
                        let header = try keychain.header().header
                        #expect(!header.isEmpty)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A search may ask another daemon while it reads, and that daemon may take any time to answer.
    @Test func aSearchHoldsNobodyUp() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
        var query = ItemQuery(itemClass: .genericPassword)
        (query.limit, query.returns) = (.all, .attributes)
        var searches = 0
        let found = try keychain.findUnverified(
            { (look) throws(KeychainError) in
                searches += 1
                // The first pass is in vain, so that the search looks a second time.
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    _ = try? fixture.unlock(keychain)
                    _ = try? fixture.lock(keychain)
                    done.signal()
                }
                let outcome = done.wait(timeout: .now() + Self.patience)
                #expect(outcome == .success)
                return try look(query)
            }, index: fixture.custodian.index)
        #expect(searches == 2 && found.count == 1)
    }

    /// The time, in seconds, after which a failing test gives up.
    private static let patience = 60.0

    // MARK: Copies

    @Test func aCopyThatWasTakenWhileItWasOpenSaysSo() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "before", "1")
        try fixture.copy("work", to: "copy")
        try fixture.lock(keychain)
        let copy = fixture.keychain("copy", places: fixture.places("other"))
        try fixture.unlock(copy)
        #expect(fixture.said().contains("copied while it was open"))
        try fixture.lock(copy)
        fixture.events.withLock { $0 = [] }
        try fixture.unlock(copy)
        #expect(fixture.said() == "")
    }

    @Test func ofTwoCopiesOneIsOpenAtATime() throws {
        let keychain = try fixture.made("work")
        try fixture.lock(keychain)
        try fixture.copy("work", to: "copy")
        try fixture.unlock(keychain)
        try keychain.add("svc", "first", "1")
        let copy = fixture.keychain("copy")
        #expect(try status { try fixture.unlock(copy) } == .notAvailable)
        #expect(try keychain.secret("svc", "first") == "1")
        try fixture.lock(keychain)
        #expect(try fixture.unlock(copy) == .unlocked)
        #expect(try copy.secret("svc", "first") == nil)
    }

    /// A copy shares the identifier of its original, whose changes and snapshots stay.
    @Test func aDeletedCopyTakesNothingFromItsOriginal() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "first", "1")
        try fixture.lock(keychain)
        try fixture.copy("work", to: "copy")
        for isOpen in [true, false] {
            try fixture.unlock(keychain)
            try keychain.add("svc", "\(isOpen)", "2")
            if !isOpen { try fixture.lock(keychain) }
            let before = TemporaryFolder.names(in: fixture.places.stores)
            try fixture.keychain("copy").delete { _ in }
            #expect(TemporaryFolder.names(in: fixture.places.stores) == before)
            if isOpen { try fixture.lock(keychain) }
            try fixture.unlock(keychain)
            #expect(try keychain.secret("svc", "\(isOpen)") == "2")
            try fixture.lock(keychain)
            try fixture.copy("work", to: "copy")
        }
        // The last one takes everything with it.
        try fixture.keychain("copy").delete { _ in }
        try keychain.delete { _ in }
        #expect(TemporaryFolder.names(in: fixture.places.marks).isEmpty)
    }

    /// Another path of the same file is no copy.
    @Test func oneFileWithTwoPathsIsDeletedWhole() throws {
        try #require(symlink("keychains", fixture.folder("way")) == 0)
        try fixture.lock(try fixture.made("work"))
        let byWay = FileKeychain(
            fixture.folder("way/work.keychain-db"), places: fixture.places, keys: fixture.custodian, log: { _ in })
        try fixture.unlock(byWay)
        try fixture.lock(byWay)
        let keychain = fixture.keychain("work")
        try fixture.unlock(keychain)
        try fixture.lock(keychain)
        try keychain.delete { _ in }
        #expect(TemporaryFolder.names(in: fixture.places.marks).isEmpty)
    }

    /// Whoever looks into a copy and deletes it keeps the snapshots of the original.
    @Test func aDeletedCopyThatWasOpenTakesNothingFromItsOriginal() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "first", "1")
        _ = try keychain.takeSnapshot(of: keychain.store())
        try fixture.lock(keychain)
        for name in ["copy", "other"] {
            try fixture.copy("work", to: name)
            let copy = fixture.keychain(name)
            try fixture.unlock(copy)
            try fixture.lock(copy)
        }
        func names() -> [[String]] { [fixture.places.stores, fixture.places.marks].map(TemporaryFolder.names) }
        let before = names()
        for name in ["other", "copy"] {
            try fixture.keychain(name).delete { _ in }
            #expect(names() == before)
        }
        try fixture.unlock(keychain)
        #expect(try keychain.secret("svc", "first") == "1")
        try fixture.lock(keychain)
        // The last one takes everything with it.
        try keychain.delete { _ in }
        #expect(TemporaryFolder.names(in: fixture.places.marks).isEmpty)
    }

    /// SQLite compares types when it writes, and not when it reads: one flipped bit makes a number a blob.
    @Test func aNumberOfAnotherTypeIsDamage() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
        let schema = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
        try fixture.write(schema + "replace(sql, 'STRICT', '') WHERE name = 'store'", to: "work")
        try fixture.write("UPDATE store SET sequence = x'05'", to: "work")
        try fixture.write(schema + "sql || 'STRICT' WHERE name = 'store'", to: "work")
        let again = fixture.keychain("work")
        #expect(try fixture.unlock(again) == .unlocked)
        #expect(try again.secret("svc", "anna") == "1")
    }

    @Test func anOlderCopyIsTold() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "revoked", "1")
        try fixture.lock(keychain)
        try fixture.copy("work", to: "older")
        try fixture.unlock(keychain)
        try keychain.add("svc", "later", "2")
        try fixture.lock(keychain)
        try fixture.copy("older", to: "work")
        fixture.events.withLock { $0 = [] }
        let again = fixture.keychain("work")
        try fixture.unlock(again)
        #expect(try again.secret("svc", "later") == nil)
        #expect(!(try again.store().losses().isEmpty))
        #expect(fixture.said() != "")
    }

    // MARK: The file at its path

    @Test func anotherFileInItsPlaceIsNotUsedUnderItsName() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "mine", "1")
        let other = try fixture.made("other")
        try other.add("svc", "theirs", "2")
        try fixture.lock(other)
        try fixture.copy("other", to: "work")
        #expect(try status { _ = try keychain.store() } == .invalidKeychain)
        try fixture.lock(keychain)
        try fixture.unlock(keychain)
        #expect(try keychain.secret("svc", "theirs") == "2")
        // The open working copy is kept, because nothing else has its changes.
        #expect(try fixture.ours().contains { $0.hasSuffix(".quarantine") })
    }

    @Test func oneThatWasRemovedIsMissingAndKept() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "mine", "1")
        try FileManager.default.removeItem(atPath: fixture.path("work"))
        #expect(try status { _ = try keychain.store() } == .noSuchKeychain)
        try fixture.lock(keychain)
        #expect(try status { try fixture.unlock(keychain) } == .noSuchKeychain)
        #expect(try fixture.names().isEmpty)
        #expect(try fixture.ours().contains { $0.hasSuffix(".quarantine") })
    }

    @Test func oneThatWasMovedTakesItsChangesAlong() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "mine", "1")
        try FileManager.default.moveItem(atPath: fixture.path("work"), toPath: fixture.path("moved"))
        #expect(try status { _ = try keychain.store() } == .noSuchKeychain)
        try fixture.lock(keychain)
        let moved = fixture.keychain("moved")
        try fixture.unlock(moved)
        #expect(try moved.secret("svc", "mine") == "1")
    }

    @Test func whatOthersMayExchangeIsNoKeychain() throws {
        let keychain = try fixture.made("work")
        try fixture.lock(keychain)
        chmod(fixture.folder.path + "/keychains", 0o777)
        #expect(try status { try fixture.unlock(keychain) } == .invalidKeychain)
        chmod(fixture.folder.path + "/keychains", 0o1777)
        #expect(try fixture.unlock(keychain) == .unlocked)
    }

    @Test func aLogThatSomebodyPlantedIsNeverRead() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "mine", "1")
        try fixture.lock(keychain)
        let planted = Data("a log or a journal of somebody's".utf8)
        for suffix in ["-wal", "-journal", "-shm"] {
            try planted.write(to: URL(fileURLWithPath: fixture.path("work") + suffix))
        }
        #expect(try keychain.accountsUnverified("svc", fixture.custodian) == ["mine"])
        try fixture.unlock(keychain)
        #expect(try keychain.secret("svc", "mine") == "1")
        try keychain.add("svc", "more", "2")
        try fixture.lock(keychain)
        for suffix in ["-wal", "-journal", "-shm"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path("work") + suffix)) == planted)
        }
    }

    // MARK: What is in the file

    @Test func aLabelThatWasEditedIsFoundAndNeverBelieved() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "1")
        try keychain.add("svc", "bert", "2")
        try fixture.lock(keychain)
        // Both names have the same length.
        try fixture.write(
            """
            UPDATE items SET metadata = CAST(replace(CAST(metadata AS TEXT), 'anna', 'mary') AS BLOB) \
            WHERE instr(metadata, CAST('anna' AS BLOB))
            """, to: "work")
        #expect(try keychain.accountsUnverified("svc", fixture.custodian).contains("bert"))
        try fixture.unlock(keychain)
        #expect(try keychain.secret("svc", "mary") == nil)
        #expect(try keychain.secret("svc", "anna") == nil)
        #expect(try keychain.secret("svc", "bert") == "2")
        #expect(fixture.said().contains("quarantine"), "\(fixture.said())")
    }

    @Test func anItemOfAnotherKeychainIsNotBelieved() throws {
        let (mine, theirs) = (try fixture.made("mine"), try fixture.made("theirs"))
        try mine.add("svc", "anna", "1")
        try theirs.add("svc", "anna", "2")
        try fixture.lock(mine)
        try fixture.lock(theirs)
        try fixture.write(
            "ATTACH '\(fixture.path("theirs"))' AS other; UPDATE items SET (metadata, row_key, secret) = "
                + "(SELECT metadata, row_key, secret FROM other.items)", to: "mine")
        try fixture.unlock(mine)
        #expect(try mine.secret("svc", "anna") == nil)
    }

    @Test func aRowThatWasRemovedIsMissed() throws {
        let keychain = try fixture.made("work")
        for account in ["anna", "bert"] { try keychain.add("svc", account, "1") }
        try fixture.lock(keychain)
        try fixture.write("DELETE FROM items WHERE row = 1", to: "work")
        try fixture.unlock(keychain)
        #expect(try !keychain.store().verifyRows().isEmpty)
    }

    /// Whoever writes the file can take away what the rows are compared with, and that is told.
    @Test func aHeadThatWasRemovedIsMissed() throws {
        let keychain = try fixture.made("work")
        for account in ["anna", "bert"] { try keychain.add("svc", account, "1") }
        try fixture.lock(keychain)
        try fixture.write("DELETE FROM items WHERE row = 1; UPDATE store SET head = NULL", to: "work")
        for places in [fixture.places, fixture.places("other")] {
            let again = fixture.keychain("work", places: places)
            try fixture.unlock(again)
            #expect(try !again.store().losses().isEmpty)
            #expect(try again.secret("svc", "bert") == "1")
            try fixture.lock(again)
            try fixture.write("UPDATE store SET head = NULL", to: "work")
        }
    }

    /// Such files cost nothing to make, but reading them through would cost hours or all memory.
    @Test func whatIsHugeIsNotLookedThrough() throws {
        try Data().write(to: URL(fileURLWithPath: fixture.path("sparse")))
        try #require(truncate(fixture.path("sparse"), 1 << 40) == 0)
        #expect(try status { _ = try fixture.keychain("sparse").header() } == .invalidKeychain)
        let keychain = try fixture.made("work")
        try fixture.lock(keychain)
        try fixture.write("UPDATE properties SET value = zeroblob(8000000) WHERE id = 1", to: "work")
        // The remembered header serves instead.
        #expect(try keychain.header().header == fixture.custodian.header(KeychainFixture.password))
    }

    @Test func triggersAndViewsAreDamage() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
        try fixture.write(
            "CREATE TRIGGER mine AFTER INSERT ON items BEGIN DELETE FROM items; END", to: "work")
        try fixture.unlock(keychain)
        while try keychain.store().continueRecovery() {}
        #expect(try keychain.secret("svc", "anna") == "1")
        try keychain.add("svc", "bert", "2")
        #expect(try keychain.secret("svc", "anna") == "1")
    }
}
