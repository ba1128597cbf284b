import ChatelaineModel
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import ItemStore
@testable import StoreEngine

/// What a disk that fails for a moment must not lead to; each was found by the rounds of `FaultInjectionTests`.
@Suite struct PassingFaultTests {
    let fixture = StoreFixture()

    /// A name that leads to itself cannot be looked behind, not even by root.
    @Test func whatCannotBeLookedAtIsNotMissing() throws {
        let loop = NSTemporaryDirectory() + "/chatelaine-loop-" + UUID().uuidString
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        defer { try? FileManager.default.removeItem(atPath: loop) }
        expect(.notAvailable) { _ = try StoreFolder.exists(loop + "/items.db") }
        expect(.notAvailable) { _ = try StoreFolder.size(loop + "/items.db") }
        #expect(try !StoreFolder.exists(loop + "-not-there"))
        #expect(try StoreFolder.size(loop + "-not-there") == 0)
    }

    /// Nothing begins without a snapshot that the disk does not give now.
    @Test func aSnapshotThatCannotBeOpenedIsWaitedFor() throws {
        do {
            let store = try fixture.open()
            try store.add(StoreFixture.item(0))
            _ = try store.takeSnapshot(.request)
        }
        let snapshot = try #require(try fixture.snapshots.list().first)
        let database = SnapshotFolder(fixture.places, clock: .system).database(of: snapshot.name)
        try FileManager.default.removeItem(atPath: fixture.folder)
        try FileManager.default.moveItem(atPath: database, toPath: database + ".away")
        // Of a folder the system gives no page.
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: false)
        expect(.ioError) { _ = try fixture.open() }
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.moveItem(atPath: database + ".away", toPath: database)
        #expect(try fixture.accounts(fixture.recovered()) == [0])
    }

    /// Older snapshots make room for that of new keys where the disk is full, and for no other reason.
    @Test func onlyAFullDiskHasNoRoomForASnapshot() throws {
        do { _ = try fixture.open() }
        let folder = SnapshotFolder(fixture.places, clock: .system)
        let failure = #expect(throws: KeychainError.self) { _ = try folder.begin(bytes: .max) }
        #expect(failure?.cause == .full && failure?.status == .notAvailable)
    }

    /// SQLite calls a database damaged as soon as the disk fails to give a page of it once.
    @Test func aSecondOpeningDecidesAboutASnapshot() throws {
        do {
            let store = try fixture.open()
            try store.add(StoreFixture.item(0))
            _ = try store.takeSnapshot(.request)
        }
        let snapshot = try #require(try fixture.snapshots.list().first)
        let database = SnapshotFolder(fixture.places, clock: .system).database(of: snapshot.name)
        var openings = 0
        let items = try SnapshotReader.reading(database, StoreSchema.items) { (reader) throws(KeychainError) in
            openings += 1
            if openings == 1 { throw KeychainError(extended: SQLITE_CORRUPT, errno: 0, "reading") }
            return try reader.rowCount()
        }
        #expect(items == 1 && openings == 2)
    }

    /// A lock may be our own, which the system did not release: only closing the connection gets rid of it.
    @Test func aStoreWithALockThatCannotBeHadIsOpenedAnew() throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: fixture.database, configuration: configuration)
        try store.tamper("PRAGMA busy_timeout = 0")
        try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        #expect(!store.needsReopening)
        expect(.notAvailable) { try store.add(StoreFixture.item(1)) }
        #expect(store.needsReopening && !store.isDamaged)
        try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try other.close()
    }

    /// SQLite opens for reading what it fails to open for writing, and says so with the first change only.
    @Test(.enabled(if: TemporaryDisk.isPossible, "needs root and mount"))
    func whatOpensForReadingOnlyIsNotOpened() throws {
        try fixture.fill(0..<1)
        let path = fixture.database
        try #require(Self.mount("--bind", path, path) && Self.mount("-o", "remount,bind,ro", path))
        var isMounted = true
        defer { if isMounted { _ = Self.unmount(path) } }
        expect(.readOnly) { _ = try fixture.open() }
        isMounted = !Self.unmount(path)
        try fixture.open().add(StoreFixture.item(1))
    }

    private static func mount(_ words: String...) -> Bool { run("/usr/bin/mount", words) }
    private static func unmount(_ path: String) -> Bool { run("/usr/bin/umount", [path]) }

    private static func run(_ program: String, _ words: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// The power may go while a store is made, before it has its log: SQLite leaves a journal to be rolled back then, which
    /// a connection for reading may not do.
    @Test func whatWasHalfDoneBeforeThereWasALogIsTakenBack() throws {
        do { _ = try fixture.open() }
        let files = FileManager.default
        let queue = try DatabaseQueue(path: fixture.database)
        try queue.writeWithoutTransaction { database in
            // With so little room SQLite writes pages to the file before the end, and the journal before them.
            try database.execute(
                sql: """
                    PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
                    CREATE TABLE halfdone AS WITH RECURSIVE numbers(number) AS (
                        SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 200
                    ) SELECT randomblob(4000) AS content FROM numbers;
                    """)
            for name in [fixture.database, fixture.database + "-journal"] {
                try files.copyItem(atPath: name, toPath: name + ".kept")
            }
            try database.execute(sql: "ROLLBACK")
        }
        try queue.close()
        for name in [fixture.database, fixture.database + "-journal"] {
            try? files.removeItem(atPath: name)
            try files.moveItem(atPath: name + ".kept", toPath: name)
        }
        let store = try fixture.open()
        #expect(try store.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'halfdone'") == 0)
        try store.add(StoreFixture.item(0))
    }
}
