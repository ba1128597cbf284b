import GRDBSQLite
import Glibc

/// Bare SQLite: one prepared look-up by a digest, and one durable insertion of a row like those that are there.
final class FloorDatabase {
    private var connection: OpaquePointer?
    private var lookUpStatement: OpaquePointer?
    private var insertions: [OpaquePointer?] = []
    private var digests: [[UInt8]] = []
    private var next = 0
    /// Number of digests to look up in turn: more than caches hold.
    private static let sampleCount = 50_000

    init(path: String) throws {
        try open(path)
        let text = "SELECT pair FROM items WHERE pair IS NOT NULL ORDER BY unique_digest LIMIT \(Self.sampleCount)"
        let sample = try prepare(text)
        while sqlite3_step(sample) == SQLITE_ROW { digests.append(Self.blob(sample, 0)) }
        sqlite3_finalize(sample)
        try BenchError.check(!digests.isEmpty, "\(path) has no rows")
        lookUpStatement = try prepare(
            """
            SELECT row, uuid, class, pdmn, sync, version, group_digest, metadata_key, metadata, class_key, row_key, \
            secret FROM items WHERE pair = ?1 AND tomb = 0 AND sync = 0
            """)
    }

    /// A new database with the tables, indices and settings of `original`, and one of its rows to insert again.
    init(copyOf original: FloorDatabase, at path: String) throws {
        try open(path)
        for text in try original.schema() { try execute(text) }
        for table in ["items", "requests"] { insertions.append(try insertion(into: table, like: original)) }
        insertions.append(try prepare("UPDATE store SET sequence = sequence + 1"))
        try execute("INSERT INTO store (id, uuid, sequence) VALUES (1, randomblob(16), 0)")
    }

    /// Moves everything from a store's log into its database; no daemon may have it open.
    static func emptyLog(of path: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        let result = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        try BenchError.check(
            result == SQLITE_OK
                && sqlite3_exec(connection, "PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil) == SQLITE_OK,
            "the log of \(path) cannot be emptied")
    }

    func lookUp() throws {
        next = (next + 7919) % digests.count
        digests[next].withUnsafeBytes { bytes in
            _ = sqlite3_bind_blob(lookUpStatement, 1, bytes.baseAddress, Int32(bytes.count), nil)
        }
        try BenchError.check(sqlite3_step(lookUpStatement) == SQLITE_ROW, "a row is gone")
        for column in [1, 6, 8, 10, 11] as [Int32] { _ = sqlite3_column_blob(lookUpStatement, column) }
        while sqlite3_step(lookUpStatement) == SQLITE_ROW {}
        sqlite3_reset(lookUpStatement)
    }

    func insert() throws {
        try execute("BEGIN IMMEDIATE")
        for statement in insertions {
            try BenchError.check(sqlite3_step(statement) == SQLITE_DONE, String(cString: sqlite3_errmsg(connection)))
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

    /// Inserts a row with the types and lengths of the original's first: fresh random blobs, the same numbers.
    private func insertion(into table: String, like original: FloorDatabase) throws -> OpaquePointer? {
        let sample = try original.prepare("SELECT * FROM \(table) LIMIT 1")
        defer { sqlite3_finalize(sample) }
        try BenchError.check(sqlite3_step(sample) == SQLITE_ROW, "\(table) has no row")
        let values = (0..<sqlite3_column_count(sample)).map { column in
            switch sqlite3_column_type(sample, column) {
            case SQLITE_BLOB: "randomblob(\(sqlite3_column_bytes(sample, column)))"
            case SQLITE_INTEGER: column == 0 ? "NULL" : "\(sqlite3_column_int64(sample, column))"
            default: "NULL"
            }
        }
        return try prepare("INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")))")
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
