import ChatelaineMemory
import ChatelaineModel
import Foundation
import GRDBSQLite
import Sealing
import StoreEngine
import Synchronization
import TestSupport
import Testing

/// A kind of store without items: notes with a title and a text, without tombstones or secrets of their own.
///
/// A note is "sealed" by a keyed digest of its identifier and text, which stands before the text.
struct NoteKind: StoreKind {
    static let layout = RowLayout(
        "notes",
        [
            RowColumn("number", .rowIdentifier),
            RowColumn("id", .blob(16), .identifier, index: "notes_id"),
            RowColumn("version", .integer, .version),
            RowColumn("changed", .integer, .sequence),
            RowColumn("title", .blob(32), .unique, index: "notes_title"),
            RowColumn("body", .blob(nil)),
        ])
    static let (title, body) = (4, 5)

    /// The raw value is the statement's index among the statements of the kind.
    enum Statement: Int {
        case byTitle, all
    }

    private static let applicationID: Int64 = 0x4E6F_7465
    private static let version = RowSchema.firstVersion(of: layout, applicationID: applicationID)
    static let schema = RowSchema(
        layout, version: 1, applicationID: applicationID,
        statements: ["SELECT body FROM notes WHERE title = ?1", "SELECT \(layout.list) FROM notes ORDER BY number"]
    ) { migrator in
        migrator.registerMigration("1") { try $0.execute(sql: version) }
    }

    let keybag = KeybagIdentifier()
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    /// Counts how often the examiner notes that a store has a mark.
    let marks = Counter()
    /// The most bytes of rows that were examined at once.
    let heldBytes = Counter()

    var schema: RowSchema { Self.schema }

    func open(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> any RowExaminer {
        NoteExaminer(kind: self)
    }
}

/// A number that several threads may change.
final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
    func raise(to value: Int) { number.withLock { $0 = max($0, value) } }
}

struct NoteExaminer: RowExaminer {
    let kind: NoteKind

    var secrets: StoreSecrets {
        StoreSecrets(integrity: kind.key, head: kind.key, mark: kind.key, keybag: kind.keybag, isMarked: isMarked)
    }

    private var isMarked: Bool { kind.marks.value > 0 }

    func noteMark() throws(KeychainError) { kind.marks.add() }

    func kind(of row: WholeRow) -> String? { "note" }

    func examine(_ rows: [WholeRow], withSecrets: Bool) throws(KeychainError) -> [RowVerdict] {
        kind.heldBytes.raise(to: rows.reduce(0) { $0 + ($1.blob(NoteKind.body)?.count ?? 0) })
        return rows.map { row in
            guard let body = row.blob(NoteKind.body), body.count >= KeyedDigest.byteCount else {
                return .damaged(.columns)
            }
            let text = Array(body[KeyedDigest.byteCount...])
            guard NoteKind.sealed(text, for: row.identifier, kind.key) == body else { return .damaged(.metadata) }
            return .whole(row, secret: .unopened)
        }
    }
}

extension NoteKind {
    static func sealed(_ text: [UInt8], for identifier: [UInt8], _ key: SecretBytes) -> [UInt8] {
        (identifier + text).withUnsafeBytes { KeyedDigest(key).digest($0) } + text
    }

    func digest(ofTitle title: String) -> [UInt8] {
        Array(title.utf8).withUnsafeBytes { KeyedDigest(key).digest($0) }
    }
}

/// A store of notes in a folder of its own.
final class NoteStore: Sendable {
    let kind = NoteKind()
    let events = Mutex<[StoreEvent]>([])
    private let owned: TemporaryFolder

    init() throws { owned = try TemporaryFolder() }

    var folder: String { owned.path + "/notes" }
    var database: String { RowStore.database(in: folder) }

    func open(isDamaged: Bool = false) throws(KeychainError) -> RowStore {
        try RowStore(
            folder: folder, kind: kind, isDamaged: isDamaged,
            log: { [self] event in events.withLock { $0.append(event) } })
    }

    static func text(_ number: Int) -> String { "text \(number) " + String(repeating: "x", count: 200) }

    /// A new row for a note.
    func note(_ number: Int, change: UInt64) -> WholeRow {
        let identifier = ItemIdentifier().bytes
        return WholeRow(
            NoteKind.layout, row: 0,
            values: [
                .null, .blob(identifier), .integer(1), .integer(Int64(clamping: change)),
                .blob(kind.digest(ofTitle: "\(number)")),
                .blob(NoteKind.sealed(Array(Self.text(number).utf8), for: identifier, kind.key)),
            ])
    }

    /// Writes notes in one change each, and throws `errSecDuplicateItem` where a note has the same title.
    func write(_ numbers: Range<Int>, to store: RowStore) throws {
        for number in numbers {
            let request = try ChangeRequest(
                name: ItemIdentifier().bytes + ItemIdentifier().bytes,
                digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: ChangeRequest.digestByteCount))
            let digest = kind.digest(ofTitle: "\(number)")
            // The second round repeats the request, which changes nothing.
            for isRepeated in [false, true] {
                let answer = try store.repeating(request, clear: Self.refuse) { () throws(KeychainError) in
                    { [self] (session: WriteSession) throws(KeychainError) -> Attempt in
                        try write(number, digest, request, session)
                    }
                }
                #expect((answer?.row != nil) == isRepeated)
            }
        }
    }

    private static func refuse(_ title: [UInt8]) throws(KeychainError) {
        throw KeychainError(.duplicateItem, "there is such a note")
    }

    private func write(
        _ number: Int, _ digest: [UInt8], _ request: ChangeRequest, _ session: WriteSession
    ) throws(KeychainError) -> Attempt {
        let note = note(number, change: session.sequence)
        do throws(KeychainError) { try session.insert(note) } catch {
            guard error.cause == .duplicate else { throw error }
            return .conflict(uniqueDigest: digest)
        }
        try session.record(request, row: Bytes16(note.identifier))
        return .done
    }

    func text(of number: Int, in store: RowStore) throws(KeychainError) -> String? {
        let digest = kind.digest(ofTitle: "\(number)")
        if store.hasRowsToBring { try store.bring([digest], usingIndex: true) }
        return try store.readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[declared: NoteKind.Statement.byTitle.rawValue]
            defer { statement.reset() }
            try statement.bind(1, digest)
            guard try statement.step() else { return nil }
            return String(decoding: statement.bytes(0).dropFirst(KeyedDigest.byteCount), as: UTF8.self)
        }
    }

    func count(in store: RowStore) throws(KeychainError) -> Int {
        try store.readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[declared: NoteKind.Statement.all.rawValue]
            defer { statement.reset() }
            var count = 0
            while try statement.step() { count += 1 }
            return count
        }
    }

    // MARK: What disks and people do

    /// Writes to the database on a connection without our limits, as `sqlite3` would.
    func execute(_ sql: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(database, &handle) == SQLITE_OK)
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    func garblePage(_ number: Int) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: database))
        try file.seek(toOffset: UInt64((number - 1) * 4096))
        try file.write(contentsOf: Data((0..<4096).map { UInt8($0 % 251) }))
        try file.close()
    }

    /// The pages of a named tree. No connection may have the store open.
    func pages(of name: String) throws -> [Int] {
        let reader = try ReadConnection(reading: database)
        let statement = try PreparedStatement(reader.handle, "SELECT pageno FROM dbstat WHERE name = '\(name)'")
        var pages: [Int] = []
        while try statement.step() { pages.append(Int(statement.integer(0))) }
        return pages
    }

    /// Whether an event was logged.
    func has(_ isMeant: (StoreEvent) -> Bool) -> Bool { events.withLock { $0.contains(where: isMeant) } }
}
