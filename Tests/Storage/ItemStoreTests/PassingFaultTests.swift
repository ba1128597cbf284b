import ChatelaineModel
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A disk that fails for a moment must not lead to a loss.
///
/// The rounds of `FaultInjectionTests` found each case.
@Suite struct PassingFaultTests {
    let fixture = StoreFixture()

    /// Not even root can resolve a link to itself.
    @Test func whatCannotBeLookedAtIsNotMissing() throws {
        let loop = NSTemporaryDirectory() + "/chatelaine-loop-" + UUID().uuidString
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        defer { try? FileManager.default.removeItem(atPath: loop) }
        expect(.notAvailable) { _ = try StoreFolder.exists(loop + "/items.db") }
        expect(.notAvailable) { _ = try StoreFolder.size(loop + "/items.db") }
        #expect(try !StoreFolder.exists(loop + "-not-there"))
        #expect(try StoreFolder.size(loop + "-not-there") == 0)
    }

    /// A recovery does not begin without a snapshot that the disk fails to deliver at the moment.
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
        // Reading a page of a folder fails with an error of the system.
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: false)
        expect(.ioError) { _ = try fixture.open() }
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.moveItem(atPath: database + ".away", toPath: database)
        #expect(try fixture.accounts(fixture.recovered()) == [0])
    }

    /// Older snapshots make room for the snapshot of new keys only where the disk is full.
    @Test func onlyAFullDiskHasNoRoomForASnapshot() throws {
        do { _ = try fixture.open() }
        let folder = SnapshotFolder(fixture.places, clock: .system)
        let failure = #expect(throws: KeychainError.self) { _ = try folder.begin(bytes: .max) }
        #expect(failure?.cause == .full && failure?.status == .notAvailable)
    }

    /// SQLite reports a damaged database as soon as the disk fails to deliver one page once.
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

    /// The lock may be this process's own, which the system failed to release. Only closing the connection removes it.
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

    /// SQLite opens a database for reading if it cannot open it for writing, and reports that only with the first
    /// change.
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

    /// The power may fail while a store is made, before it has its log.
    ///
    /// SQLite then leaves a journal to roll back, which a read-only connection may not do.
    @Test func whatWasHalfDoneBeforeThereWasALogIsTakenBack() throws {
        do { _ = try fixture.open() }
        let files = FileManager.default
        let queue = try DatabaseQueue(path: fixture.database)
        try queue.writeWithoutTransaction { database in
            // With so small a cache, SQLite writes pages to the file before the commit, and the journal before them.
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
