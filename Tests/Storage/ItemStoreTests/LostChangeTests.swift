import ChatelaineModel
import Foundation
import GRDB
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Logs, marks and databases that were cut, garbled, removed or exchanged lose no change unnoticed.
@Suite struct LostChangeTests {
    let fixture = StoreFixture()

    private func lost(_ fixture: StoreFixture) -> (UInt64, UInt64)? {
        fixture.events.withLock { events in
            for event in events {
                if case .changesLost(let marked, let found) = event { return (marked, found) }
                if case .recoveryBegun(_, _, .behind(let marked, let found)) = event { return (marked, found) }
            }
            return nil
        }
    }

    @Test func aGarbledFrameCostsNoMoreThanItself() throws {
        let store = try fixture.open()
        for index in 0..<40 { try store.add(StoreFixture.item(index)) }
        let copy = try fixture.crashed()
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        // SQLite stops at the damage in the first third of the log and ignores the rest.
        let frame = 24 + StoreFixture.pageSize
        let frames = (try copy.size(copy.log) - 32) / frame
        try copy.overwrite(copy.log, at: 32 + frames / 3 * frame + 24 + 100, with: [1, 2, 3, 4])
        let anew = try copy.recovered()
        #expect(try copy.accounts(anew).count >= 38)
        #expect(lost(copy)?.0 == 40)
        #expect(try anew.statistics().losses == 1)
        #expect(try anew.statistics().sequence > 40)
        #expect(try copy.setAside().count == 1)
    }

    @Test func aLogThatIsTakenAway() throws {
        let store = try fixture.open()
        for index in 0..<20 { try store.add(StoreFixture.item(index)) }
        _ = try store.takeSnapshot(.request)
        let copy = try fixture.crashed()
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        try FileManager.default.copyItem(atPath: fixture.places.snapshots, toPath: copy.places.snapshots)
        defer { try? FileManager.default.removeItem(atPath: copy.places.snapshots) }
        try FileManager.default.removeItem(atPath: copy.log)
        // All changes were still in the log. The snapshot has them.
        let anew = try copy.recovered()
        #expect(try copy.accounts(anew) == Set(0..<20))
        #expect(try copy.listed().first == "recovery-begun")
    }

    @Test func anOlderCopyIsNoticedAndTheNewerSnapshotUsed() throws {
        try fixture.fill(0..<10)
        let old = fixture.folder + "-old"
        try FileManager.default.copyItem(atPath: fixture.database, toPath: old)
        do {
            let store = try fixture.open()
            for index in 10..<20 { try store.add(StoreFixture.item(index)) }
            try store.delete(.password("svc", "0"))
            _ = try store.takeSnapshot(.request)
            try store.add(StoreFixture.item(20))
        }
        try FileManager.default.removeItem(atPath: fixture.database)
        try FileManager.default.moveItem(atPath: old, toPath: fixture.database)
        let store = try fixture.recovered()
        #expect(lost(fixture)?.0 == 22)
        // The older copy has the item and keeps it, because nothing records the deletion.
        #expect(try fixture.accounts(store) == Set(0..<20))
        #expect(try store.statistics().losses == 1)
        #expect(try fixture.setAside().count == 1)
    }

    @Test func anOlderCopyWithoutSnapshotIsReported() throws {
        try fixture.fill(0..<10)
        let old = fixture.folder + "-old"
        try FileManager.default.copyItem(atPath: fixture.database, toPath: old)
        try fixture.fill(10..<20)
        try FileManager.default.removeItem(atPath: fixture.database)
        try FileManager.default.moveItem(atPath: old, toPath: fixture.database)
        let store = try fixture.open()
        #expect(!store.isRecovering)
        #expect(lost(fixture)?.0 == 20 && lost(fixture)?.1 == 10)
        #expect(try fixture.listed() == ["changes-lost"])
        #expect(try store.statistics().losses == 1)
        #expect(try fixture.accounts(store) == Set(0..<10))
    }

    @Test(arguments: [0, 8, 31])
    func aGarbledMarkIsKeptAndMadeAnew(offset: Int) throws {
        try fixture.fill(0..<3)
        let mark = fixture.mark
        if offset == 8 {
            // Cut short.
            try fixture.truncate(mark, to: 20)
        } else {
            let content = try Data(contentsOf: URL(fileURLWithPath: mark))
            for slot in 0..<HighWaterMark.slotCount {
                // The byte changes, whatever random value it had.
                let place = slot * HighWaterMark.slotByteCount + offset
                try fixture.overwrite(mark, at: place, with: [content[place] ^ 0xFF])
            }
        }
        let store = try fixture.open()
        #expect(fixture.events.withLock { $0.contains { if case .markDamaged = $0 { true } else { false } } })
        #expect(try fixture.listed() == ["mark-damaged", "changes-missing"])
        #expect(try store.losses().map(\.cause) == [.history])
        #expect(FileManager.default.fileExists(atPath: mark + ".damaged-1"))
        #expect(try fixture.accounts(store) == Set(0..<3))
        try store.add(StoreFixture.item(3))
        #expect(try fixture.marked() == 5)
    }

    @Test func aStoreWithoutItsDatabaseIsMadeFromASnapshot() throws {
        do {
            let store = try fixture.open()
            for index in 0..<10 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
        }
        for name in ["items.db", ""] {
            let path = name.isEmpty ? fixture.folder : fixture.folder + "/" + name
            try FileManager.default.removeItem(atPath: path)
            let store = try fixture.recovered()
            #expect(try fixture.accounts(store) == Set(0..<10))
            #expect(try store.statistics().lastRecovery == RecoveryCounts(restored: 10))
        }
        try fixture.truncate(fixture.database, to: 0)
        #expect(try fixture.accounts(try fixture.recovered()) == Set(0..<10))
    }

    @Test func anEmptiedDatabaseIsMadeFromItsLog() throws {
        let store = try fixture.open()
        for index in 0..<10 { try store.add(StoreFixture.item(index)) }
        let copy = try fixture.crashed()
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        try copy.truncate(copy.database, to: 0)
        #expect(try copy.accounts(try copy.recovered()) == Set(0..<10))
    }

    @Test func aStoreIsNeverSilentlyEmpty() throws {
        try fixture.fill(0..<3)
        try fixture.truncate(fixture.database, to: 0)
        for _ in 0..<2 { expect(.notAvailable) { _ = try fixture.open() } }
        try FileManager.default.removeItem(atPath: fixture.database)
        for _ in 0..<2 { expect(.notAvailable) { _ = try fixture.open() } }
        #expect(!FileManager.default.fileExists(atPath: fixture.database))
    }

    /// The disk with the data is not mounted, say, while the state folder with the mark is there.
    @Test func aStoreWhoseWholeFolderIsGoneIsMissed() throws {
        try fixture.fill(0..<3)
        let aside = fixture.folder + "-aside"
        try FileManager.default.moveItem(atPath: fixture.folder, toPath: aside)
        defer { try? FileManager.default.removeItem(atPath: aside) }
        let anew = StoreFixture(folder: fixture.folder)
        let store = try anew.open()
        #expect(try anew.accounts(store).isEmpty)
        #expect(try store.losses().map(\.cause) == [.history])
        #expect(try store.losses().first?.changes == nil)
        #expect(try store.acknowledgeLosses() != nil && store.losses().isEmpty)
    }

    @Test func anotherStoresIdentifier() throws {
        try fixture.fill(0..<3)
        do { try fixture.open().tamper("UPDATE store SET uuid = zeroblob(16)") }
        expect(.notAvailable) { _ = try fixture.open() }
        // Not a single item is quarantined because of it.
        #expect(fixture.quarantined().isEmpty)
    }

    @Test(arguments: ["DELETE FROM store", "UPDATE store SET sequence = -7", "UPDATE store SET sequence = 1 << 62 | 1"])
    func aDamagedHeadRecordIsTakenFromTheMark(sql: String) throws {
        let identifier = try fixture.fill(0..<3)
        do { try fixture.open().tamper(sql) }
        let store = try fixture.recovered()
        #expect(store.identifier == identifier)
        #expect(try fixture.accounts(store) == Set(0..<3))
        #expect(try store.statistics().sequence > 3)
    }

    @Test func aStoreWhoseMakingWasCutShort() throws {
        // GRDB creates its own table first.
        try FileManager.default.createDirectory(
            atPath: fixture.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let queue = try DatabaseQueue(path: fixture.database)
        try queue.write { try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)") }
        try queue.close()
        chmod(fixture.database, 0o600)
        try fixture.fill(0..<3)
    }
}
