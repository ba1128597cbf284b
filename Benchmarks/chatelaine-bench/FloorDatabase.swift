import GRDBSQLite
import Glibc

/// Bare SQLite: prepared look-ups by digests, and durable changes of rows like the existing ones.
final class FloorDatabase {
    /// The columns with a digest for look-ups.
    enum Column: String {
        case pair, label
    }

    /// A statement with the digests that it looks up in turn.
    private struct LookUp {
        let statement: OpaquePointer?
        let digests: [[UInt8]]
        var next = 0
    }

    private var connection: OpaquePointer?
    private var lookUps: [Column: LookUp] = [:]
    private var listing: OpaquePointer?
    private var insertions: [OpaquePointer?] = []
    private var updates: [OpaquePointer?] = []
    private var deletions: [OpaquePointer?] = []
    /// The number of digests to look up in turn, which is more than caches hold.
    private static let sampleCount = 50_000
    private static let columns = """
        row, uuid, class, pdmn, sync, version, group_digest, metadata_key, metadata, class_key, row_key, secret
        """

    init(path: String) throws {
        try open(path)
        for column in [Column.pair, .label] { lookUps[column] = try lookUp(by: column) }
        // The first item belongs to the listed service.
        listing = try prepare(
            """
            SELECT \(Self.columns) FROM items INDEXED BY items_place \
            WHERE place = (SELECT place FROM items ORDER BY row LIMIT 1) AND tomb = 0 AND sync = 0
            """)
    }

    private func lookUp(by column: Column) throws -> LookUp {
        let name = column.rawValue
        let sample = try prepare(
            "SELECT \(name) FROM items WHERE \(name) IS NOT NULL ORDER BY unique_digest LIMIT \(Self.sampleCount)")
        defer { sqlite3_finalize(sample) }
        var digests: [[UInt8]] = []
        while sqlite3_step(sample) == SQLITE_ROW { digests.append(Self.blob(sample, 0)) }
        try BenchError.check(!digests.isEmpty, "no row has a \(name)")
        return LookUp(
            statement: try prepare("SELECT \(Self.columns) FROM items WHERE \(name) = ?1 AND tomb = 0 AND sync = 0"),
            digests: digests)
    }

    /// Makes a database with the tables, indices and settings of `original`, and one of its rows to insert again.
    init(copyOf original: FloorDatabase, at path: String) throws {
        try open(path)
        for text in try original.schema() { try execute(text) }
        let answer = try insertion(into: "requests", like: original)
        let sequence = try prepare("UPDATE store SET sequence = sequence + 1")
        insertions = [try insertion(into: "items", like: original), answer, sequence]
        updates = [try update(like: original), answer, sequence]
        deletions = [try prepare("DELETE FROM items WHERE row = (SELECT max(row) FROM items)"), answer, sequence]
        try execute("INSERT INTO store (id, uuid, sequence) VALUES (1, randomblob(16), 0)")
    }

    /// Moves everything from a store's log into its database; no daemon may have the store open.
    static func emptyLog(of path: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        let result = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        try BenchError.check(
            result == SQLITE_OK
                && sqlite3_exec(connection, "PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil) == SQLITE_OK,
            "the log of \(path) cannot be emptied")
    }

    /// Reads the next row by its digest.
    func lookUp(by column: Column) throws {
        guard var lookUp = lookUps[column] else { throw BenchError("nothing is looked up by \(column)") }
        lookUp.next = (lookUp.next + 7919) % lookUp.digests.count
        lookUps[column]?.next = lookUp.next
        let statement = lookUp.statement
        lookUp.digests[lookUp.next].withUnsafeBytes { bytes in
            // SAFETY: the digest is the table's own, which outlives the statement's use of it.
            _ = sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil)
        }
        try BenchError.check(sqlite3_step(statement) == SQLITE_ROW, "a row is gone")
        Self.read(statement)
        while sqlite3_step(statement) == SQLITE_ROW {}
        sqlite3_reset(statement)
    }

    /// Reads the rows of the listed service one by one, and calls `body` for each.
    func list(_ count: Int, _ body: () throws -> Void) throws {
        var found = 0
        while sqlite3_step(listing) == SQLITE_ROW {
            Self.read(listing)
            try body()
            found += 1
        }
        sqlite3_reset(listing)
        try BenchError.check(found == count, "the listing has \(found) rows")
    }

    private static func read(_ statement: OpaquePointer?) {
        for column in [1, 6, 8, 10, 11] as [Int32] { _ = sqlite3_column_blob(statement, column) }
    }

    func insert() throws { try commit(insertions) }

    /// Changes the next of the rows that ``insert()`` made.
    func update() throws { try commit(updates) }

    /// Deletes the newest of the rows that ``insert()`` made.
    func delete() throws { try commit(deletions) }

    private func commit(_ statements: [OpaquePointer?]) throws {
        try execute("BEGIN IMMEDIATE")
        for statement in statements {
            try BenchError.check(
                sqlite3_step(statement) == SQLITE_DONE && sqlite3_changes(connection) == 1,
                String(cString: sqlite3_errmsg(connection)))
            sqlite3_reset(statement)
        }
        try execute("COMMIT")
    }

    private func open(_ path: String) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        try BenchError.check(sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK, "\(path) cannot be opened")
        sqlite3_busy_timeout(connection, 5000)
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
    }

    private func schema() throws -> [String] {
        let statement = try prepare(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb%' ORDER BY rowid"
        )
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { texts.append(String(cString: sqlite3_column_text(statement, 0))) }
        return texts
    }

    /// Prepares the insertion of a row like the original's first: fresh random blobs of the same lengths, the same
    /// numbers.
    private func insertion(into table: String, like original: FloorDatabase) throws -> OpaquePointer? {
        let values = try original.expressions(of: "*", from: table)
        return try prepare("INSERT INTO \(table) VALUES (\(values.map(\.text).joined(separator: ", ")))")
    }

    /// Prepares a change like an update with a secret: all columns are written, the sealed ones with new data.
    private func update(like original: FloorDatabase) throws -> OpaquePointer? {
        let kept = ["pdmn", "sync", "tomb", "group_digest", "unique_digest", "pair", "owner", "place", "label", "tag"]
            .map { "\($0) = \($0)" }
        let written = try original.expressions(of: "metadata_key, metadata, class_key, row_key, secret", from: "items")
            .map { "\($0.column) = \($0.text)" }
        return try prepare(
            """
            UPDATE items SET version = version + 1, sequence = sequence + 1, \
            \((kept + written).joined(separator: ", ")) \
            WHERE row = 1 + (SELECT sequence FROM store) % (SELECT max(row) FROM items)
            """)
    }

    /// Returns SQL expressions for values with the types and lengths of a table's first row.
    private func expressions(of columns: String, from table: String) throws -> [(column: String, text: String)] {
        let sample = try prepare("SELECT \(columns) FROM \(table) LIMIT 1")
        defer { sqlite3_finalize(sample) }
        try BenchError.check(sqlite3_step(sample) == SQLITE_ROW, "\(table) has no row")
        return (0..<sqlite3_column_count(sample)).map { column in
            let text =
                switch sqlite3_column_type(sample, column) {
                case SQLITE_BLOB: "randomblob(\(sqlite3_column_bytes(sample, column)))"
                case SQLITE_INTEGER: column == 0 && columns == "*" ? "NULL" : "\(sqlite3_column_int64(sample, column))"
                default: "NULL"
                }
            return (String(cString: sqlite3_column_name(sample, column)), text)
        }
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try BenchError.check(
            sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(connection))): \(text)")
        return statement
    }

    private func execute(_ text: String) throws {
        try BenchError.check(
            sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(connection))): \(text)")
    }

    private static func blob(_ statement: OpaquePointer?, _ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(statement, column))
        return sqlite3_column_blob(statement, column).map {
            [UInt8](UnsafeRawBufferPointer(start: $0, count: count))
        } ?? []
    }
}
