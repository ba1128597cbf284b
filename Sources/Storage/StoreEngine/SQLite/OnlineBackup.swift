import ChatelaineModel
import GRDBSQLite

/// SQLite's online backup of a whole database into a new file, a few pages at a time.
///
/// The source is the writing connection, whose changes between two steps reach the copy as well. After a change by any
/// other connection SQLite would begin the copy again (sqlite.org/c3ref/backup_finish.html).
// `@unchecked Sendable`: every call is made on the queue of the source connection, one thread at a time.
final class OnlineBackup: @unchecked Sendable {
    enum Progress: Sendable {
        case more
        /// Another process has the database locked; nothing was copied.
        case locked
        case done
    }

    private var destination: OpaquePointer?
    private var backup: OpaquePointer?

    /// Begins a copy into `path`, an empty file.
    init(of source: OpaquePointer, to path: String) throws(KeychainError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // SAFETY: SQLite copies the path; on failure too the handle is to be closed, which `deinit` does.
        let code = sqlite3_open_v2(path, &destination, flags, nil)
        guard code == SQLITE_OK, let destination else {
            throw KeychainError(sqlite: code, on: destination, "making a snapshot")
        }
        // A finished copy is synced as a whole before it is used.
        sqlite3_exec(destination, "PRAGMA synchronous = OFF", nil, nil, nil)
        backup = sqlite3_backup_init(destination, "main", source, "main")
        guard backup != nil else {
            throw KeychainError(sqlite: sqlite3_errcode(destination), on: destination, "making a snapshot")
        }
    }

    deinit { abandon() }

    /// Ends an incomplete copy.
    func abandon() {
        if let backup { sqlite3_backup_finish(backup) }
        backup = nil
        sqlite3_close_v2(destination)
        destination = nil
    }

    /// Copies up to `pages` more pages.
    func step(pages: Int32) throws(KeychainError) -> Progress {
        guard let backup else { throw Self.ended }
        let code = sqlite3_backup_step(backup, pages)
        switch code & 0xFF {
        case SQLITE_OK: return .more
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked
        case SQLITE_DONE: return .done
        default: throw KeychainError(sqlite: code, on: destination, "making a snapshot")
        }
    }

    /// Finishes a copy of all pages, turns it into a single file without a log, and closes it.
    func finish() throws(KeychainError) {
        guard backup != nil else { throw Self.ended }
        var code = sqlite3_backup_finish(backup)
        backup = nil
        if code == SQLITE_OK { code = sqlite3_exec(destination, "PRAGMA journal_mode = DELETE", nil, nil, nil) }
        guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: destination, "finishing a snapshot") }
        sqlite3_close_v2(destination)
        destination = nil
    }

    private static var ended: KeychainError {
        KeychainError(.notAvailable, "the item store was closed while it was copied; try again")
    }
}
