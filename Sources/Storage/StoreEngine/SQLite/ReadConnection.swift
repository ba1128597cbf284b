import CSQLiteSettings
import ChatelaineModel
import GRDBSQLite

/// A reading connection without GRDB: no layer lies between a look-up and its prepared statement.
///
/// One thread uses a connection at a time, which ``ReaderPool`` ensures.
package final class ReadConnection {
    /// The page cache of one connection; it holds the upper levels of the indices of a million items.
    static let cacheKibibytes = 1024
    /// How long a connection waits for a lock of a foreign process, such as a user's `sqlite3`; milliseconds.
    static let busyTimeout: Int32 = 5000

    package let handle: OpaquePointer
    /// What may interrupt the connection; SQLite has a pointer to it.
    var interrupter: Interruption?

    /// Opens a database for reading only.
    ///
    /// - Throws: `errSecNotAvailable` where the file is missing or may not be read.
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

    /// Opens a database that nobody writes and that has no log, for reading; it takes no lock and makes no file beside
    /// it.
    ///
    /// - Parameter path: an absolute path.
    /// - Throws: `errSecNotAvailable` where the file is missing or may not be read.
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

    /// A path as an SQLite URI (sqlite.org/uri.html), with every byte escaped that could have a meaning there.
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

    /// The switches of every connection (sqlite.org/c3ref/c_dbconfig_defensive.html).
    private static let switches: [(option: Int32, isOn: Bool)] = [
        (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_DQS_DML, false), (SQLITE_DBCONFIG_DQS_DDL, false),
        (SQLITE_DBCONFIG_DEFENSIVE, true),
    ]

    /// The limits of every connection (sqlite.org/limits.html); no store has or does anything beyond them.
    private static let limits: [(category: Int32, value: Int32)] = [
        (SQLITE_LIMIT_LENGTH, Int32(DamagedDatabase.maximumRowBytes)), (SQLITE_LIMIT_SQL_LENGTH, 16 * 1024),
        (SQLITE_LIMIT_COLUMN, 32), (SQLITE_LIMIT_EXPR_DEPTH, 64), (SQLITE_LIMIT_COMPOUND_SELECT, 16),
        (SQLITE_LIMIT_VDBE_OP, 8192), (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64),
        (SQLITE_LIMIT_VARIABLE_NUMBER, 64), (SQLITE_LIMIT_TRIGGER_DEPTH, 0), (SQLITE_LIMIT_WORKER_THREADS, 0),
        (SQLITE_LIMIT_ATTACHED, 0),
    ]

    /// Keeps a connection from running code that somebody else wrote into the database.
    static func harden(_ handle: OpaquePointer) throws(KeychainError) {
        for (option, isOn) in switches {
            let code = chatelaine_sqlite_switch(handle, option, isOn ? 1 : 0)
            guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: handle, "setting up a connection") }
        }
        for (category, value) in limits { sqlite3_limit(handle, category, value) }
    }

    /// Rolls back what a crash left half-done in a database with a rollback journal.
    ///
    /// Such a journal exists only while a store is being made, before it has its log. Without a journal nothing is
    /// written.
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

    // SQLite keeps a connection with open statements as a zombie until they end, which is safe.
    deinit { sqlite3_close_v2(handle) }

    /// The settings of every connection: bounded memory, no mapped file (its pages would count as memory of this
    /// process), and no trust in the schema of a file that somebody else may have written.
    static let settings = """
        PRAGMA cache_size = -\(cacheKibibytes); PRAGMA mmap_size = 0; PRAGMA trusted_schema = 0;
        PRAGMA cell_size_check = 1; PRAGMA temp_store = MEMORY;
        """

    func execute(_ sql: String) throws(KeychainError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw KeychainError(sqlite: code, on: handle, "setting up a connection") }
    }

    /// The first integer that a query yields; 0 without a row.
    package static func integer(_ handle: OpaquePointer, _ sql: String) throws(KeychainError) -> Int64 {
        let statement = try PreparedStatement(handle, sql)
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// The setup of SQLite in this process, which happens once, before the first database opens.
enum SQLiteLibrary {
    // A lazy constant: the first thread makes it, and the others wait.
    private static let outcome = {
        let code = chatelaine_sqlite_open_carefully()
        return code == SQLITE_OK ? chatelaine_sqlite_layer_logs() : code
    }()

    /// Sets SQLite up; throws `errSecInternalComponent` where the setup failed.
    static func prepare() throws(KeychainError) {
        guard outcome == SQLITE_OK else { throw KeychainError(sqlite: outcome, on: nil, "setting up SQLite") }
    }
}
