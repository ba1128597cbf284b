import ChatelaineModel
import GRDB
import GRDBSQLite
import Glibc

extension KeychainError {
    /// Maps a result code of SQLite to a caller's error (behaviour/errors.md, 5 to 11).
    ///
    /// Only a violated UNIQUE index is a duplicate; any other constraint is a fault of this software or of the file.
    init(sqlite code: Int32, on connection: OpaquePointer?, _ action: String, line: UInt = #line) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        self.init(extended: extended & 0xFF == code & 0xFF ? extended : code, errno: system, action, line: line)
    }

    init(
        _ error: DatabaseError, on connection: OpaquePointer?, _ action: String = "changing the item store",
        line: UInt = #line
    ) {
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        self.init(extended: error.extendedResultCode.rawValue, errno: system, action, line: line)
    }

    init(extended: Int32, errno system: Int32, _ action: String, line: UInt = #line) {
        let (cause, meaning) = Self.meaning(of: extended, errno: system)
        let words = system == 0 ? "" : SystemFailure(system).words + ", "
        self.init(cause: cause, "\(meaning) (\(action): \(words)SQLite code \(extended))", line: line)
    }

    private static func meaning(of extended: Int32, errno system: Int32) -> (Cause, String) {
        let primary = extended & 0xFF
        let isFull =
            primary == SQLITE_FULL
            || [SQLITE_IOERR, SQLITE_CANTOPEN].contains(primary) && SystemFailure(system).cause == .full
        return switch primary {
        case _ where isFull && system == EFBIG:
            (.full, "the item store's files may not grow further; raise the limit of file sizes")
        case _ where isFull: (.full, "the disk that holds the item store is full; free some space")
        case SQLITE_READONLY:
            (.readOnly, "the item store cannot be written to; check its file system and the owner of its files")
        case SQLITE_IOERR: (.disk, "the disk that holds the item store reports an error; check the disk")
        case SQLITE_NOMEM: (.memory, "memory is exhausted")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            (.damage, "the item store's database is damaged; its files are kept as they are")
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            (.busy, "another process keeps the item store's database locked")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            (.unavailable, "the item store's files cannot be opened; check their owner and permissions")
        case SQLITE_CONSTRAINT
        where extended == SQLITE_CONSTRAINT | 8 << 8 || extended == SQLITE_CONSTRAINT | 6 << 8:
            (.duplicate, "an item with the same unique attributes is there already")
        default: (.fault, "the item store's database refused")
        }
    }
}
