import ChatelaineMemory
import ChatelaineModel
import Foundation
import GRDB
import InProcess
import Synchronization
import TestSupport
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Snapshots are whole, bounded in number, and can be restored without losing the replaced store.
@Suite struct StoreSnapshotTests {
    let fixture: StoreFixture

    private func set(hours: Double) { fixture.time.withLock { $0 = 800_000_000 + hours * 3600 } }

    @Test func holdsTheStoreAsItWas() throws {
        let store = try fixture.open()
        for index in 0..<10 { try store.add(StoreFixture.item(index)) }
        let snapshot = try store.takeSnapshot(.request)
        #expect(snapshot.sequence == 10 && snapshot.items == 10 && snapshot.store == store.identifier)
        #expect(try fixture.snapshots.list() == [snapshot])
        #expect(try store.statistics().snapshots == 1)
        try store.add(StoreFixture.item(10))
        // The snapshot is a file of its own, complete without a log and as private as the store.
        let folder = "\(fixture.places.snapshots)/\(snapshot.name)"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["items.db", "snapshot"])
        for path in [fixture.places.snapshots, folder, folder + "/items.db", folder + "/snapshot"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == (path.hasSuffix("/items.db") || path.hasSuffix("/snapshot") ? 0o600 : 0o700))
        }
        // The snapshot is sealed as the store is.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/items.db"))
        #expect(bytes.range(of: Data(StoreFixture.group.text.utf8)) == nil)
        #expect(try store.integer("SELECT snapshot_sequence FROM store") == 10)
    }

    @Test func goesOnWhileOthersWrite() throws {
        let store = try fixture.open()
        let secret = SecretBytes([UInt8](repeating: 1, count: 100_000))
        for index in 0..<30 { try store.add(.password("large", "\(index)").with { $0.secret = secret }) }
        let isDone = Atomic<Bool>(false)
        let written = Atomic<Int>(0)
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            while !isDone.load(ordering: .relaxed) {
                let number = written.load(ordering: .relaxed)
                do { try store.add(.password("meanwhile", "\(number)", secret: "1")) } catch { Issue.record(error) }
                written.add(1, ordering: .relaxed)
            }
            group.leave()
        }
        try until { written.load(ordering: .relaxed) >= 3 }
        let before = written.load(ordering: .relaxed)
        let snapshot = try store.takeSnapshot(.request)
        let after = written.load(ordering: .relaxed)
        isDone.store(true, ordering: .relaxed)
        group.wait()
        // The snapshot began once, and holds one state of the store between begin and end.
        #expect(after > before)
        #expect((30 + before...30 + after + 1).contains(snapshot.items))
        #expect(UInt64(snapshot.items) == snapshot.sequence)
    }

    @Test func isTakenOnceADayWhereSomethingChanged() throws {
        set(hours: 0)
        let store = try fixture.open()
        store.takeSnapshotIfDue()
        #expect(try fixture.snapshots.list().isEmpty)
        try store.add(StoreFixture.item(0))
        store.takeSnapshotIfDue()
        store.takeSnapshotIfDue()
        #expect(try fixture.snapshots.list().map(\.reason) == [.daily])
        set(hours: 30)
        store.takeSnapshotIfDue()
        #expect(try fixture.snapshots.list().count == 1)
        try store.add(StoreFixture.item(1))
        store.takeSnapshotIfDue()
        #expect(try fixture.snapshots.list().count == 2)
        // The clock is set back. One snapshot too many is better than none.
        set(hours: 10)
        try store.add(StoreFixture.item(2))
        store.takeSnapshotIfDue()
        #expect(try fixture.snapshots.list().count == 3)
    }

    @Test func thereAreSoManyAtMost() throws {
        let store = try fixture.open()
        for index in 0..<9 {
            set(hours: Double(index) * 25)
            try store.add(StoreFixture.item(index))
            store.takeSnapshotIfDue()
        }
        let snapshots = try fixture.snapshots.list()
        #expect(snapshots.map(\.items) == [9, 8, 7, 6, 5, 4, 3])
        #expect(snapshots.count == SnapshotFolder.maximumCount)
    }

    @Test func halfASnapshotIsNone() throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        let first = try store.takeSnapshot(.request)
        let folder = fixture.places.snapshots
        try FileManager.default.copyItem(atPath: "\(folder)/\(first.name)", toPath: "\(folder)/20300101T000000Z-1.part")
        try FileManager.default.copyItem(atPath: "\(folder)/\(first.name)", toPath: "\(folder)/20300101T000000Z-2")
        try FileManager.default.removeItem(atPath: "\(folder)/20300101T000000Z-2/snapshot")
        #expect(try fixture.snapshots.list() == [first])
        let second = try store.takeSnapshot(.request)
        #expect(try fixture.snapshots.list() == [second, first])
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/20300101T000000Z-1.part"))
    }

    @Test(.enabled(if: TemporaryDisk.isPossible, "needs root and mount"))
    func aDiskWithoutRoomIsLeftAlone() throws {
        let disk = try #require(TemporaryDisk(megabytes: 8))
        let small = StoreFixture(folder: disk.path + "/store")
        let store = try small.open()
        try store.add(StoreFixture.item(0))
        expect(.notAvailable) { _ = try store.takeSnapshot(.request) }
        store.takeSnapshotIfDue()
        #expect(small.events.withLock { $0.contains { if case .snapshotFailed = $0 { true } else { false } } })
        try store.add(StoreFixture.item(1))
    }

    @Test func namesLeadNowhereElse() throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        for name in ["", "..", "../login", "/etc", "20261121T083000Z-1/../..", "x", String(repeating: "1-", count: 99)]
        {
            expect(.itemNotFound) { _ = try fixture.snapshots.delete(name) }
            expect(.itemNotFound) {
                _ = try fixture.restore(name, replacing: store)
            }
        }
        try store.add(StoreFixture.item(1))
    }

    @Test func deletesOneOrAll() throws {
        let store = try fixture.open()
        for index in 0..<4 {
            try store.add(StoreFixture.item(index))
            _ = try store.takeSnapshot(.request)
        }
        let all = try fixture.snapshots.list()
        #expect(try fixture.snapshots.delete(all[1].name) == all[1])
        #expect(try fixture.snapshots.deleteAll(keeping: 2) == [all[3]])
        #expect(try fixture.snapshots.deleteAll() == [all[0], all[2]])
        #expect(try fixture.snapshots.list().isEmpty)
    }

    // MARK: Restoring

    @Test func restoringKeepsWhatItReplaces() throws {
        let snapshot: Snapshot
        do {
            let store = try fixture.open()
            for index in 0..<5 { try store.add(StoreFixture.item(index)) }
            snapshot = try store.takeSnapshot(.request)
            for index in 5..<9 { try store.add(StoreFixture.item(index)) }
            try store.delete(.password("svc", "0"))
            let outcome = try fixture.restore(snapshot.name, replacing: store)
            #expect(try outcome.replaced == fixture.places.quarantine + "/" + #require(fixture.setAside().first))
            // The replaced store acknowledges no more changes.
            expect(.notAvailable) { try store.add(.password("too", "late")) }
        }
        let store = try fixture.open()
        #expect(try fixture.accounts(store) == Set(0..<5))
        #expect(try store.statistics().sequence > 10)
        #expect(try fixture.listed() == ["store-restored"])
        #expect(fixture.events.withLock { $0.allSatisfy { if case .changesLost = $0 { false } else { true } } })
        let old = StoreFixture(folder: "\(fixture.places.quarantine)/\(try fixture.setAside()[0])", keys: fixture.keys)
        #expect(try old.accounts(try old.open()) == Set(1..<9))
    }

    @Test func aDamagedSnapshotIsNotRestored() throws {
        let store = try fixture.open()
        for index in 0..<40 { try store.add(StoreFixture.item(index)) }
        let snapshot = try store.takeSnapshot(.request)
        let copy = "\(fixture.places.snapshots)/\(snapshot.name)/items.db"
        try fixture.garblePage(try #require(try fixture.pages(of: "items").last), of: copy)
        expect(.notAvailable) {
            _ = try fixture.restore(snapshot.name, replacing: store)
        }
        try store.add(StoreFixture.item(40))
        #expect(try fixture.setAside().isEmpty)
        #expect(try fixture.accounts(store) == Set(0..<41))
    }

    @Test func aSnapshotOfAnotherKeybagIsNotRestored() throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        let snapshot = try store.takeSnapshot(.request)
        fixture.keys.state.withLock { $0.keybag = KeybagIdentifier() }
        expect(.notAvailable) {
            _ = try fixture.restore(snapshot.name, replacing: store)
        }
        try store.add(StoreFixture.item(1))
    }

    @Test func restoresWhereNoStoreOpens() throws {
        do {
            let store = try fixture.open()
            try store.add(StoreFixture.item(0))
            _ = try store.takeSnapshot(.request)
        }
        let name = try fixture.snapshots.list()[0].name
        try FileManager.default.removeItem(atPath: fixture.folder)
        _ = try fixture.restore(name, replacing: nil)
        #expect(try fixture.accounts(try fixture.open()) == [0])
    }

    /// The newest snapshot was taken when the row was damaged already but nobody knew, as before a change of the
    /// format.
    @Test func aRowComesFromTheNewestSnapshotInWhichItOpens() throws {
        let store = try fixture.open()
        for index in 0..<2 { try store.add(StoreFixture.item(index)) }
        _ = try store.takeSnapshot(.request)
        try store.update(.password("svc", "1"), .secret("newer"))
        _ = try store.takeSnapshot(.request)
        try store.tamper("UPDATE items SET metadata = zeroblob(100)")
        _ = try store.takeSnapshot(.request)
        #expect(try store.find(.password("svc", "0", returns: .data)).first?.password == "0")
        _ = try store.find(.password("svc", "1"))
        #expect(try store.find(.password("svc", "1", returns: .data)).first?.password == "newer")
        #expect(try store.statistics().quarantined == 2)
    }

    // MARK: Formats

    /// Turns the store into one of version 1, which has no tables of recoveries.
    private func makeFirstVersion() throws {
        try FormerStore.make(fixture.database, version: 1)
        try FileManager.default.removeItem(atPath: fixture.mark)
        fixture.keys.state.withLock { $0.isMarked = false }
    }

    @Test func theFirstVersionBecomesTheLatestAfterASnapshot() throws {
        try fixture.fill(0..<5)
        try makeFirstVersion()
        let store = try fixture.open()
        #expect(try fixture.accounts(store) == Set(0..<5))
        #expect(try store.statistics().schemaVersion == StoreSchema.version)
        let snapshot = try #require(try fixture.snapshots.list().first)
        #expect(snapshot.reason == .migration && snapshot.schemaVersion == 1 && snapshot.items == 5)
        // The old snapshot can be restored and is brought to the present format.
        try store.delete(.password("svc"))
        _ = try fixture.restore(snapshot.name, replacing: store)
        let restored = try fixture.open()
        #expect(try fixture.accounts(restored) == Set(0..<5))
        #expect(try restored.statistics().schemaVersion == StoreSchema.version)
    }

    /// A failure or a power cut may interrupt a change of format before there is anything to take a snapshot of.
    @Test func aStoreThatWasNeverFinishedNeedsNoSnapshot() throws {
        do { _ = try fixture.open() }
        try makeFirstVersion()
        let queue = try DatabaseQueue(path: fixture.database)
        try queue.write { try $0.execute(sql: "DELETE FROM store") }
        try queue.close()
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        #expect(try fixture.accounts(store) == [0])
        #expect(try fixture.snapshots.list().isEmpty)
    }

    /// No snapshot can be taken before the change of format, so the store is made anew in the newest format.
    @Test func aDamagedStoreOfAnEarlierFormat() throws {
        try fixture.fill(0..<40)
        try makeFirstVersion()
        let pages = try fixture.pages(of: "items")
        try fixture.garblePage(try #require(pages.last))
        let store = try fixture.recovered()
        #expect(try store.statistics().schemaVersion == StoreSchema.version)
        let accounts = try fixture.accounts(store)
        #expect(!accounts.isEmpty && accounts.count < 40)
        #expect(try !store.losses().isEmpty)
        #expect(try fixture.snapshots.list().isEmpty)
    }

    @Test(.enabled(if: TemporaryDisk.isPossible, "needs root and mount"))
    func noSnapshotNoMigration() throws {
        let disk = try #require(TemporaryDisk(megabytes: 8))
        let small = StoreFixture(folder: disk.path + "/store", keys: fixture.keys)
        try small.fill(0..<5)
        try StoreSnapshotTests(fixture: small).makeFirstVersion()
        expect(.notAvailable) { _ = try small.open() }
        let reader = try ReadConnection(reading: small.database)
        #expect(try ReadConnection.integer(reader.handle, "PRAGMA user_version") == 1)
    }

    init() { fixture = StoreFixture() }
    private init(fixture: StoreFixture) { self.fixture = fixture }
}
