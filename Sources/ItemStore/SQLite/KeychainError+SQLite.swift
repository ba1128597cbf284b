import ChatelaineModel
import GRDB
import GRDBSQLite
import Glibc

extension KeychainError {
    /// What a result code of SQLite means to a caller (behaviour 0.1; rulings, 15).
    ///
    /// Only a violated UNIQUE index is a duplicate; any other constraint is a fault of ours or of the file.
    init(sqlite code: Int32, on connection: OpaquePointer?, _ action: String, line: UInt = #line) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        self.init(extended: extended & 0xFF == code & 0xFF ? extended : code, errno: system, action, line: line)
    }

    init(_ error: DatabaseError, on connection: OpaquePointer?, line: UInt = #line) {
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        self.init(extended: error.extendedResultCode.rawValue, errno: system, "changing the item store", line: line)
    }

    init(extended: Int32, errno system: Int32, _ action: String, line: UInt = #line) {
        let primary = extended & 0xFF
        let isFull = primary == SQLITE_FULL || (primary == SQLITE_IOERR && [ENOSPC, EDQUOT, EFBIG].contains(system))
        let (status, reason): (Status, String) =
            switch primary {
            case _ where isFull: (.notAvailable, "the disk that holds the item store is full; free some space")
            case SQLITE_READONLY:
                (.readOnly, "the item store cannot be written to; check its file system and the owner of its files")
            case SQLITE_IOERR:
                (.ioError, "the disk that holds the item store reports an error (errno \(system)); check the disk")
            case SQLITE_NOMEM: (.allocate, "memory is exhausted")
            case SQLITE_CORRUPT, SQLITE_NOTADB:
                (.notAvailable, Self.damageSentence)
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
                (.notAvailable, Self.lockSentence)
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
                (.notAvailable, "the item store's files cannot be opened; check their owner and permissions")
            case SQLITE_CONSTRAINT
            where extended == SQLITE_CONSTRAINT | 8 << 8 || extended == SQLITE_CONSTRAINT | 6 << 8:
                (.duplicateItem, "an item with the same unique attributes is there already")
            default: (.internalComponent, "the item store's database refused")
            }
        self.init(status, "\(reason) (\(action): SQLite code \(extended))", line: line)
    }

    /// How the reason of every error begins that SQLite's findings of damage lead to.
    private static let damageSentence = "the item store's database is damaged; its files are kept as they are"

    /// How the reason begins where locks cannot be had.
    private static let lockSentence = "another process keeps the item store's database locked"

    /// Whether locks cannot be had: from another process, or because the system failed to release one of our own.
    var isLock: Bool { reason.hasPrefix(Self.lockSentence) }

    /// Whether SQLite found the file damaged, and not the disk, the memory or the permissions at fault.
    var isDamage: Bool { reason.hasPrefix(Self.damageSentence) }
}
