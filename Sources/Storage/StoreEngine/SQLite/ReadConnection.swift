import CSQLiteSettings
import ChatelaineModel
import GRDBSQLite

/// A connection of our own, for reading: no layer lies between a look-up and its prepared statement.
///
/// Used by one thread at a time, which ``ReaderPool`` sees to.
package final class ReadConnection {
    /// Page cache of one connection: what the upper levels of the indices of a million items need.
    static let cacheKibibytes = 1024
    /// How long to wait for a foreign process that holds a lock, such as somebody's `sqlite3`; milliseconds.
    package static let busyTimeout: Int32 = 5000

    package let handle: OpaquePointer

    /// Opens for reading only. `errSecNotAvailable` when the file is not there or not ours to read.
    package init(reading path: String) throws(KeychainError) {
        try SQLiteLibrary.prepare()
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // SAFETY: SQLite copies the path; on failure too the handle is to be closed.
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = KeychainError(sqlite: code, on: handle, "opening \(path)")
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        try Self.harden(handle)
        try execute(Self.settings + "PRAGMA query_only = 1;")
    }

    /// Opens for reading a database that nobody writes and that has no log: no lock is taken, and nothing is made beside it.
    ///
    /// - Parameter path: absolute. `errSecNotAvailable` as above.
    package init(resting path: String) throws(KeychainError) {
        try SQLiteLibrary.prepare()
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        // SAFETY: SQLite copies the name; on failure too the handle is to be closed.
        let code = sqlite3_open_v2(Self.name(resting: path), &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = KeychainError(sqlite: code, on: handle, "opening \(path)")
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        try Self.harden(handle)
        try execute(Self.settings + "PRAGMA query_only = 1;")
    }

    /// A path as a URI of SQLite's (sqlite.org/uri.html): whatever could be a part of that is escaped.
    private static func name(resting path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var name = Array("file:".utf8)
        for byte in path.utf8 {
            let isPlain = byte == UInt8(ascii: "/") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
            if isPlain {
                name.append(byte)
            } else {
                name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: name + Array("?immutable=1".utf8), as: UTF8.self)
    }

    /// Switches that are off, and that are on, on every connection (sqlite.org/c3ref/c_dbconfig_defensive.html).
    private static let switches: [(option: Int32, isOn: Bool)] = [
        (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_DQS_DML, false), (SQLITE_DBCONFIG_DQS_DDL, false),
        (SQLITE_DBCONFIG_DEFENSIVE, true),
    ]

    /// What SQLite is held to (sqlite.org/limits.html): beyond it lies nothing that a store has or does.
    private static let limits: [(category: Int32, value: Int32)] = [
        (SQLITE_LIMIT_LENGTH, Int32(DamagedDatabase.maximumRowBytes)), (SQLITE_LIMIT_SQL_LENGTH, 16 * 1024),
        (SQLITE_LIMIT_COLUMN, 32), (SQLITE_LIMIT_EXPR_DEPTH, 64), (SQLITE_LIMIT_COMPOUND_SELECT, 16),
        (SQLITE_LIMIT_VDBE_OP, 8192), (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64),
        (SQLITE_LIMIT_VARIABLE_NUMBER, 64), (SQLITE_LIMIT_TRIGGER_DEPTH, 0), (SQLITE_LIMIT_WORKER_THREADS, 0),
        (SQLITE_LIMIT_ATTACHED, 0),
    ]

    /// Keeps a connection from running what somebody else wrote into the database.
    static func harden(_ handle: OpaquePointer) throws(KeychainError) {
        for (option, isOn) in switches {
            let code = chatelaine_sqlite_switch(handle, option, isOn ? 1 : 0)
            guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: handle, "setting up a connection") }
        }
        for (category, value) in limits { sqlite3_limit(handle, category, value) }
    }

    /// Takes back what a crash left half-done in a database that has a rollback journal: there is one only while a store is
    /// being made, before it has its log. Nothing is written where there is none.
    static func rollBack(_ path: String) throws(KeychainError) {
        guard try StoreFolder.exists(path + "-journal") else { return }
        try SQLiteLibrary.prepare()
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // SAFETY: SQLite copies the path; on failure too the handle is to be closed.
        var code = sqlite3_open_v2(path, &handle, flags, nil)
        defer { sqlite3_close_v2(handle) }
        if code == SQLITE_OK { code = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil) }
        guard code == SQLITE_OK || code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB else {
            throw KeychainError(sqlite: code, on: handle, "taking back what was half-done")
        }
    }

    // Statements that outlive the connection keep it as a zombie until they end, which is safe.
    deinit { sqlite3_close_v2(handle) }

    /// What every connection sets: bounded memory, no mapped file (its pages would count as ours), no trust in the
    /// schema of a file that somebody else may have written.
    static let settings = """
        PRAGMA cache_size = -\(cacheKibibytes); PRAGMA mmap_size = 0; PRAGMA trusted_schema = 0;
        PRAGMA cell_size_check = 1; PRAGMA temp_store = MEMORY;
        """

    func execute(_ sql: String) throws(KeychainError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: handle, "setting up a connection") }
    }

    /// The integer that a query yields first.
    package static func integer(_ handle: OpaquePointer, _ sql: String) throws(KeychainError) -> Int64 {
        let statement = try PreparedStatement(handle, sql)
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// SQLite as a library of this process, set up once, before the first database opens.
enum SQLiteLibrary {
    // A constant: whoever comes first has it made, and the others wait for that.
    private static let outcome = {
        let code = chatelaine_sqlite_open_carefully()
        return code == SQLITE_OK ? chatelaine_sqlite_layer_logs() : code
    }()

    /// Throws `errSecInternalComponent` where the library cannot be told how to open files.
    static func prepare() throws(KeychainError) {
        guard outcome == SQLITE_OK else { throw KeychainError(sqlite: outcome, on: nil, "setting up SQLite") }
    }
}
