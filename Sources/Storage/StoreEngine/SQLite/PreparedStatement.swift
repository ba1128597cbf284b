import ChatelaineModel
import GRDBSQLite

/// A prepared statement; only this type and ``ReadConnection`` call SQLite directly.
///
/// A statement is kept and run again, since preparing one costs more than the look-up. Lent blobs are valid until the
/// next step or reset. The holder of the connection uses the statement, one thread at a time.
package final class PreparedStatement {
    /// Tells SQLite to copy bound values, since the arrays do not outlive the call.
    // SAFETY: SQLITE_TRANSIENT is this very value, in a macro that Swift cannot import.
    nonisolated(unsafe) private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    @usableFromInline let statement: OpaquePointer
    private let connection: OpaquePointer

    package init(_ connection: OpaquePointer, _ sql: String) throws(KeychainError) {
        var statement: OpaquePointer?
        // SAFETY: the connection is open; SQLite copies the text.
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else {
            throw KeychainError(sqlite: code, on: connection, "preparing a statement")
        }
        self.statement = statement
        self.connection = connection
    }

    deinit { sqlite3_finalize(statement) }

    @inlinable
    package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }

    package func bind(_ index: Int32, _ value: [UInt8]) throws(KeychainError) {
        // SAFETY: SQLite copies the bytes before the call returns; an empty array binds an empty blob, not NULL.
        let code = value.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(statement, index, 0)
            }
            return sqlite3_bind_blob64(statement, index, base, UInt64(bytes.count), Self.copies)
        }
        guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: connection, "binding a value") }
    }

    package func bind(_ index: Int32, _ value: Bytes16) throws(KeychainError) {
        // SAFETY: as above.
        let code = value.withUnsafeBytes { bytes in
            sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), Self.copies)
        }
        guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: connection, "binding a value") }
    }

    package func bind(_ index: Int32, _ value: Bytes16?) throws(KeychainError) {
        if let value { try bind(index, value) } else { sqlite3_bind_null(statement, index) }
    }

    package func bind(_ index: Int32, _ value: [UInt8]?) throws(KeychainError) {
        if let value { try bind(index, value) } else { sqlite3_bind_null(statement, index) }
    }

    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { sqlite3_bind_null(statement, index) }
    }

    package func bind(_ index: Int32, _ value: RowValue) throws(KeychainError) {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): bind(index, number)
        case .blob(let bytes): try bind(index, bytes)
        }
    }

    /// Runs the statement to its next row; false where it has ended.
    package func step() throws(KeychainError) -> Bool {
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw KeychainError(sqlite: code, on: connection, "running a statement")
        }
    }

    /// Runs a statement that yields no rows, and resets it.
    package func run() throws(KeychainError) {
        defer { reset() }
        while try step() {}
    }

    /// The number of rows that the connection's last change affected.
    package var changes: Int32 { sqlite3_changes(connection) }

    /// Ends the statement's read transaction and clears its bindings.
    package func reset() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    /// Resets the statement and keeps its bindings, which for a search is a digest.
    package func rewind() { sqlite3_reset(statement) }

    @inlinable
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    @inlinable
    func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_INTEGER }

    @inlinable
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    package func text(_ column: Int32) -> String {
        // SAFETY: SQLite ends its text with a zero byte; the copy is made before anything else happens.
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }

    /// The bytes of a blob, valid until the next step or reset; empty for NULL.
    @inlinable
    package func lend(_ column: Int32) -> UnsafeRawBufferPointer {
        // SAFETY: pointer and length belong together and are valid until the next step or reset.
        UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
    }

    @inlinable
    package func bytes(_ column: Int32) -> [UInt8] { [UInt8](lend(column)) }
}
