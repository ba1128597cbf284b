import ChatelaineMemory
import ChatelaineModel
import Foundation
import GRDB
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A store opens only with files that belong to it, and reports missing changes.
@Suite struct OpeningTests {
    let fixture = StoreFixture()

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Makes a store with one item and closes it, so that a test can change its files.
    @discardableResult
    private func fill() throws -> StoreIdentifier {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "1"))
        return store.identifier
    }

    private func raw(_ sql: String) throws {
        let queue = try DatabaseQueue(path: fixture.database)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// Without the wake at the end, each opening of a file keychain would leave a thread behind.
    @Test func whoKeepsAStoreHearsOfItsEnd() throws {
        let wakings = Atomic(0)
        let wake: @Sendable () -> Void = { wakings.add(1, ordering: .relaxed) }
        do {
            let retired = try fixture.open()
            retired.whenKeysChangeOrItEnds(wake)
            retired.noteKeys()
            #expect(wakings.load(ordering: .relaxed) == 1)
            retired.retire()
            #expect(wakings.load(ordering: .relaxed) == 2)
        }
        #expect(wakings.load(ordering: .relaxed) == 3, "nobody has it any more")
        let closed = try fixture.open()
        closed.whenKeysChangeOrItEnds(wake)
        try closed.close()
        #expect(wakings.load(ordering: .relaxed) == 4)
    }

    @Test func makesPrivateFiles() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "1"))
        #expect(try mode(fixture.folder) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) {
            #expect(try mode(fixture.folder + "/" + name) == 0o600, "\(name)")
        }
    }

    @Test func commitsAreSynced() throws {
        let store = try fixture.open()
        #expect(try store.integer("PRAGMA synchronous") == 2)
        #expect(try store.writer.withDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        try store.add(.password("svc", "a"))
        #expect(try store.integer("PRAGMA synchronous") == 2)
    }

    @Test func opensAgainWithTheSameIdentity() throws {
        let first = try fill()
        let store = try fixture.open()
        #expect(store.identifier == first)
        #expect(try store.find(.password("svc", returns: .data)).map(\.password) == ["1"])
        #expect(fixture.keys.state.withLock { $0.opened.map(\.isEmpty) } == [true, false])
        #expect(fixture.events.withLock { $0.isEmpty })
        let statistics = try store.statistics()
        #expect(statistics.schemaVersion == StoreSchema.version)
        #expect(statistics.sequence == 1)
        #expect(statistics.items == [.genericPassword: 1])
        #expect(statistics.databaseBytes > 0)
    }

    @Test func anEmptyFileBecomesAStore() throws {
        try FileManager.default.createDirectory(
            atPath: fixture.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        #expect(
            FileManager.default.createFile(
                atPath: fixture.database, contents: nil, attributes: [.posixPermissions: 0o600]))
        try fill()
        #expect(try fixture.open().statistics().schemaVersion == StoreSchema.version)
    }

    @Test func refusesANewerSchemaUntouched() throws {
        try fill()
        // The version comes with a change of the schema's text. A version alone is a false one (SchemaTests).
        try raw("CREATE TABLE later (a ANY) STRICT; PRAGMA user_version = 9; PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.database))
        expect(.notAvailable) { _ = try fixture.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.database)) == before)
    }

    @Test func refusesADatabaseOfAnotherKind() throws {
        try fill()
        try raw("DROP TABLE requests; PRAGMA application_id = 5")
        expect(.notAvailable) { _ = try fixture.open() }
    }

    @Test func refusesGarbageAndKeepsIt() throws {
        try fill()
        let garbage = Data(repeating: 0x5A, count: try Data(contentsOf: URL(fileURLWithPath: fixture.database)).count)
        let handle = try #require(FileHandle(forWritingAtPath: fixture.database))
        try handle.write(contentsOf: garbage)
        try handle.close()
        // No row opens and there is no snapshot, so nothing can be recovered and nothing is moved.
        for _ in 0..<2 { expect(.notAvailable) { _ = try fixture.open() } }
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.database)) == garbage)
    }

    @Test func reportsAMissingDatabase() throws {
        try fill()
        try FileManager.default.removeItem(atPath: fixture.database)
        expect(.notAvailable) { _ = try fixture.open() }
        #expect(!FileManager.default.fileExists(atPath: fixture.database))
        // An empty file is refused as well.
        #expect(
            FileManager.default.createFile(
                atPath: fixture.database, contents: nil, attributes: [.posixPermissions: 0o600]))
        expect(.notAvailable) { _ = try fixture.open() }
    }

    @Test func reportsLostChanges() throws {
        try fill()
        let copy = fixture.database + ".copy"
        try FileManager.default.copyItem(atPath: fixture.database, toPath: copy)
        do {
            let store = try fixture.open()
            for index in 0..<5 { try store.add(.password("lost", "\(index)")) }
        }
        try FileManager.default.removeItem(atPath: fixture.database)
        try FileManager.default.moveItem(atPath: copy, toPath: fixture.database)
        let store = try fixture.open()
        let events = fixture.events.withLock { $0 }
        guard case .changesLost(marked: 6, found: 1)? = events.first, case .epochBegun(sequence: 7)? = events.last,
            events.count == 2
        else {
            Issue.record("\(events)")
            return
        }
        #expect(try store.statistics().losses == 1)
        // Numbers are never given out twice.
        #expect(try store.statistics().sequence == 7)
        try store.add(.password("after", "a"))
        #expect(try store.statistics().sequence == 8)
        #expect(try fixture.marked() == 8)
    }

    @Test func aLogCutShortIsNoticed() throws {
        // A copy made while the store is open keeps its log, as after a kill.
        let store = try fixture.open()
        for index in 0..<20 { try store.add(.password("svc", "\(index)")) }
        let copy = try fixture.copied(suffix: "-copy")
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        let log = try #require(FileHandle(forUpdatingAtPath: copy.database + "-wal"))
        let size = try log.seekToEnd()
        try log.truncate(atOffset: size / 2)
        try log.close()
        let damaged = try copy.open()
        let count = try damaged.statistics().items[.genericPassword] ?? 0
        #expect(count < 20)
        #expect(copy.events.withLock { $0.contains { if case .changesLost = $0 { true } else { false } } })
    }

    @Test func aCopyMadeMidwayHoldsEveryAcknowledgedChange() throws {
        let store = try fixture.open()
        for round in 1...5 {
            for index in 0..<10 { try store.add(.password("\(round)", "\(index)", secret: "\(index)")) }
            let copy = try fixture.copied(suffix: "-\(round)")
            defer { try? FileManager.default.removeItem(atPath: copy.folder) }
            let reopened = try copy.open()
            let query = ItemQuery(itemClass: .genericPassword).with {
                $0.limit = .all
                $0.returns = .data
            }
            #expect(try reopened.find(query).count == round * 10)
            #expect(copy.events.withLock { $0.isEmpty })
        }
    }

    @Test func writesAMissingMarkAnew() throws {
        try fill()
        try FileManager.default.removeItem(atPath: fixture.mark)
        _ = try fixture.open()
        #expect(fixture.events.withLock { $0.contains { if case .markMissing = $0 { true } else { false } } })
        #expect(try fixture.marked() == 2)
    }

    @Test func tellsOfTheMarkOfAnotherStore() throws {
        try fill()
        let other = StoreFixture()
        _ = try other.open()
        try FileManager.default.removeItem(atPath: fixture.mark)
        try FileManager.default.copyItem(atPath: other.mark, toPath: fixture.mark)
        let store = try fixture.open()
        // Under another custodian's key the mark is not valid.
        #expect(fixture.events.withLock { $0.contains { if case .markDamaged = $0 { true } else { false } } })
        #expect(try store.losses().map(\.cause) == [.history])
        #expect(FileManager.default.fileExists(atPath: fixture.mark + ".damaged-1"))
    }

    @Test func refusesAnotherKeybagOnceThereAreRows() throws {
        do { _ = try fixture.open() }
        fixture.keys.state.withLock { $0.keybag = KeybagIdentifier() }
        // Nothing is sealed yet, so a new keybag loses nothing.
        try fill()
        fixture.keys.state.withLock { $0.keybag = KeybagIdentifier() }
        expect(.notAvailable) { _ = try fixture.open() }
    }

    @Test(arguments: ["", "/items.db", ".mark"])
    func refusesWhatOthersMayReach(name: String) throws {
        try fill()
        let path = fixture.folder + name
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        expect(.notAvailable) { _ = try fixture.open() }
        try FileManager.default.setAttributes([.posixPermissions: name.isEmpty ? 0o700 : 0o600], ofItemAtPath: path)
        _ = try fixture.open()
    }

    @Test func refusesSymbolicLinks() throws {
        try fill()
        let moved = fixture.folder + "/elsewhere"
        try FileManager.default.moveItem(atPath: fixture.database, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: fixture.database, withDestinationPath: moved)
        expect(.notAvailable) { _ = try fixture.open() }
    }
}
