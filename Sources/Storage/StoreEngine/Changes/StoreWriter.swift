import CSQLiteSettings
import ChatelaineModel
import GRDB
import GRDBSQLite

/// The one writing connection of a store, and what it remembers between its commits.
///
/// GRDB opens it, brings its schema up to date and runs its transactions; rows are written by prepared statements.
// `@unchecked Sendable`: statements, integrity and readers are touched on GRDB's serial queue only.
package final class StoreWriter: @unchecked Sendable {
    /// Pages of the log that are left before a commit moves them into the database: four megabytes, which is read in
    /// a few milliseconds after a crash.
    static let checkpointPages = 1000
    /// The log is cut to this after a large transaction.
    static let logByteLimit = 16 * 1024 * 1024

    private let path: String
    private let queue: DatabaseQueue
    private let statements: StatementCache
    private let schema: RowSchema
    private let watch: SchemaWatch
    private let clock: StoreClock
    private let health: StoreHealth
    private let log: @Sendable (StoreEvent) -> Void
    private var integrity: StoreIntegrity?
    private var foreign: (@Sendable (StoreExchange, UInt64) -> Void)?
    /// Who has to let go of the old state before a change, and may see the new one after it. The store holds them, and
    /// lets go of them before this connection, which clears the log away as the last to close.
    private weak var readers: ReaderPool?
    private var isRetired = false
    private var barred = BarredKeys()
    /// Those that are being made: SQLite closes no connection that one is made of.
    private var copies: [OnlineBackup] = []
    /// How long to wait for readers to let go of the log, in milliseconds, since changes wait meanwhile.
    private static let logPatience: Int32 = 100

    /// Opens the database, or fills an empty file; the schema is the newest afterwards.
    init(
        path: String, schema: RowSchema, clock: StoreClock, health: StoreHealth,
        log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) {
        self.path = path
        self.schema = schema
        self.clock = clock
        self.health = health
        self.log = log
        try SQLiteLibrary.prepare()
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(Double(ReadConnection.busyTimeout) / 1000)
            configuration.foreignKeysEnabled = false
            configuration.label = "chatelaine.store"
            configuration.prepareDatabase { database in
                guard let handle = database.sqliteConnection else { return }
                try ReadConnection.harden(handle)
            }
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                try database.execute(
                    sql: """
                        PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                        PRAGMA wal_autocheckpoint = \(Self.checkpointPages);
                        PRAGMA journal_size_limit = \(Self.logByteLimit);
                        PRAGMA secure_delete = 1;
                        \(ReadConnection.settings)
                        """)
            }
            try schema.migrator.migrate(queue)
            let handle = try queue.unsafeRead { database in
                // GRDB resets this here and there; a commit that is not synced is no commit.
                guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2,
                    try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
                else { throw KeychainError(.internalComponent, "the database does not keep to WAL and FULL") }
                return database.sqliteConnection
            }
            // Where SQLite may not write to one of its files, or fails to open it once, it opens that for reading.
            try queue.writeWithoutTransaction { database in
                guard sqlite3_db_readonly(database.sqliteConnection, "main") == 0 else {
                    throw KeychainError(extended: SQLITE_READONLY, errno: 0, "opening \(path)")
                }
                try database.inTransaction(.immediate) { .rollback }
            }
            guard let handle else { throw KeychainError(.internalComponent, "the database closed while it opened") }
            // What was asked for above stands: commits are synced, before anybody looks for their pages.
            let code = chatelaine_sqlite_join_log(handle, 1)
            guard code == SQLITE_OK else { throw KeychainError(extended: code, errno: 0, "joining the log of \(path)") }
            statements = StatementCache(handle, schema)
            watch = SchemaWatch(handle, schema, statements)
        } catch let error as KeychainError {
            throw error
        } catch let error as DatabaseError {
            throw KeychainError(error, on: nil, "opening \(path)")
        } catch {
            throw KeychainError(.internalComponent, "opening the item store failed")
        }
    }

    /// Changes are compared from now on with what this knows of the one before them.
    func use(_ integrity: StoreIntegrity) { queue.writeWithoutTransaction { _ in self.integrity = integrity } }

    /// From now on this is told when a change met what none of ours has left there; before that change is committed.
    func tell(_ foreign: @escaping @Sendable (StoreExchange, UInt64) -> Void) {
        queue.writeWithoutTransaction { _ in self.foreign = foreign }
    }

    /// Writes to a store that is not in use yet, in one transaction.
    func prepare<Value>(
        _ body: (StatementCache) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try withDatabase { database in
            var value: Value?
            try database.inTransaction(.immediate) {
                value = try body(statements)
                return .commit
            }
            guard let value else { throw KeychainError(.internalComponent, "a transaction came to no end") }
            return value
        }
    }

    /// What the store's integrity rests on, between two changes.
    func withIntegrity<Value>(
        _ body: (StoreIntegrity) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try withConnection { (_) throws(KeychainError) in
            guard let integrity else { throw Self.unprepared }
            return try body(integrity)
        }
    }

    private static var unprepared: KeychainError {
        KeychainError(.internalComponent, "a store was to be changed before it was looked at")
    }

    /// From now on these are told of every change.
    func tell(_ readers: ReaderPool) { queue.writeWithoutTransaction { _ in self.readers = readers } }

    /// Runs a change: BEGIN IMMEDIATE, `body`, the head record, COMMIT, the mark. Nothing is half-done when it throws.
    ///
    /// `body` asks no one for keys. The statuses are those of ``KeychainError/init(sqlite:on:_:line:)``.
    ///
    /// - Parameter durability: when it is on disk.
    package func transaction<Value>(
        _ durability: Durability = .now, _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Value>
    ) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            readers?.changeBegins()
            defer { readers?.changeEnds() }
            do {
                guard !isRetired else { throw Self.retired }
                if durability == .later, let answer = try unsynced(database, { try run(body, on: database, .later) }) {
                    return .success(answer)
                }
                guard let answer = try run(body, on: database, .now) else {
                    throw KeychainError(.internalComponent, "a transaction came to no end")
                }
                return .success(answer)
            } catch let error as KeychainError {
                return .failure(error)
            } catch let error as DatabaseError {
                return .failure(KeychainError(error, on: database.sqliteConnection))
            } catch {
                return .failure(KeychainError(.internalComponent, "a transaction of the item store failed"))
            }
        }
        if case .failure(let error) = result, error.cause == .damage { confirmDamage() }
        return try noting(result)
    }

    private func noting<Value>(_ result: Result<Value, KeychainError>) throws(KeychainError) -> Value {
        if case .failure(let error) = result, error.cause == .busy { health.noteLock() }
        return try result.get()
    }

    /// Whether a connection with nothing in its memory finds the damage too.
    private func confirmDamage() {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: path)
            try schema.verify(connection.handle)
            let check = try PreparedStatement(connection.handle, "PRAGMA quick_check(1)")
            let isWhole = try check.step() && check.text(0) == "ok"
            health.note(isWhole ? .suspect : .damaged)
        } catch {
            health.note(error.cause == .damage ? .damaged : .suspect)
        }
    }

    private static var retired: KeychainError {
        KeychainError(.notAvailable, "the item store was replaced by another while it was in use; try again")
    }

    /// Takes no more changes: what is written to a store that was set aside would be lost.
    func retire() { queue.writeWithoutTransaction { _ in isRetired = true } }

    /// From now on no row is written that names one of these keys (``BarredKeys``).
    func bar(_ keys: Set<Int64>, strictly: Bool) {
        queue.writeWithoutTransaction { _ in barred.bar(keys, strictly: strictly) }
    }

    /// Moves the log into the database, and cuts it to nothing, so that it holds no earlier state of a page; false where somebody reads it.
    func truncateLog() throws(KeychainError) -> Bool {
        // It takes the locks of all readers.
        defer { noteLocks() }
        return try withConnection { (handle) throws(KeychainError) in
            readers?.changeBegins()
            defer { readers?.changeEnds() }
            sqlite3_busy_timeout(handle, Self.logPatience)
            defer { sqlite3_busy_timeout(handle, ReadConnection.busyTimeout) }
            return try ReadConnection.integer(handle, "PRAGMA wal_checkpoint(TRUNCATE)") == 0
        }
    }

    /// Looks whether the database can be read now. A lock that the system did not release after a failure would keep everybody from that, until
    /// all connections are others.
    func noteLocks() {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: path)
            _ = try ReadConnection.integer(connection.handle, "SELECT count(*) FROM store")
        } catch {
            if error.cause == .busy { health.noteLock() }
        }
    }

    /// Begins a copy of the database into an empty file; ``endCopy(_:)`` is to follow.
    func beginCopy(to path: String) throws(KeychainError) -> OnlineBackup {
        try withConnection { (handle) throws(KeychainError) in
            let copy = try OnlineBackup(of: handle, to: path)
            copies.append(copy)
            return copy
        }
    }

    /// Lets go of a copy, whole or not.
    func endCopy(_ copy: OnlineBackup) {
        queue.writeWithoutTransaction { _ in
            copy.abandon()
            copies.removeAll { $0 === copy }
        }
    }

    /// Ends the connection, with the log moved into the database where no other connection is open. Copies that are under way come to nothing.
    func close() throws(KeychainError) {
        queue.writeWithoutTransaction { _ in
            statements.removeAll()
            for copy in copies { copy.abandon() }
            copies.removeAll()
        }
        do { try queue.close() } catch {
            throw KeychainError(.internalComponent, "the item store's database does not close")
        }
    }

    /// Work of SQLite's on the connection itself, between two changes.
    func withConnection<Value>(_ body: (OpaquePointer) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            Result { () throws(KeychainError) in
                guard !isRetired, let handle = database.sqliteConnection else { throw Self.retired }
                return try body(handle)
            }
        }
        return try noting(result)
    }

    /// Commits without a sync, in an order that a power cut keeps: the next commit that is synced syncs all before it.
    private func unsynced<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
        guard let handle = database.sqliteConnection else { throw Self.retired }
        // Readers look for pages in the log after the commit.
        let code = chatelaine_sqlite_join_log(handle, 0)
        guard code == SQLITE_OK else { throw KeychainError(extended: code, errno: 0, "writing to the log of \(path)") }
        _ = try ReadConnection.integer(handle, "PRAGMA synchronous = 1")
        defer {
            let isFull = (try? ReadConnection.integer(handle, "PRAGMA synchronous = 2")) != nil
            if !isFull || (try? ReadConnection.integer(handle, "PRAGMA synchronous")) != 2 {
                // No change may be acknowledged here any more.
                isRetired = true
                health.note(.suspect)
            } else {
                // One that is not joined any more is slower, and nothing else.
                _ = chatelaine_sqlite_join_log(handle, 1)
            }
        }
        return try body()
    }

    /// Nil where nothing was done, since the change cannot wait for its sync.
    private func run<Value>(
        _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Value>, on database: Database,
        _ durability: Durability
    ) throws -> Value? {
        guard let integrity else { throw Self.unprepared }
        var answer: Value?
        var committed: (change: RowSetChange, sealed: SealedHead)?
        try database.inTransaction(.immediate) {
            try watch.verify()
            let change = try integrity.begin(statements)
            // Somebody else wrote: the mark has to know of the new history at once.
            if durability == .later, change.isNewEpoch { return .rollback }
            let session = WriteSession(
                statements: statements, rows: change, sequence: change.head.sequence, hour: clock.hour, barred: barred)
            switch try body(session) {
            case .rollback(let value):
                answer = value
                return .rollback
            case .commit(let value):
                answer = value
                let sealed = try integrity.seal(change, hour: session.hour, statements)
                guard try isWritten(change.head.sequence) else {
                    throw KeychainError(.internalComponent, "the number of a change was not written")
                }
                committed = (change, sealed)
                // Before it is on disk, which is what keeps the next change and the next opening from noticing.
                if let exchanged = change.exchanged { foreign?(exchanged, change.head.sequence) }
                return .commit
            }
        }
        if let (change, sealed) = committed {
            do throws(KeychainError) { try integrity.committed(change, sealed, durability) } catch {
                log(.markFailed(error))
            }
        }
        return answer
    }

    private func isWritten(_ sequence: UInt64) throws(KeychainError) -> Bool {
        let statement = try statements[.sequence]
        defer { statement.reset() }
        return try statement.step() && UInt64(clamping: statement.integer(0)) == sequence
    }

    /// Work on the bare connection that no prepared statement is worth: opening, and tests.
    func withDatabase<Value>(_ body: (Database) throws -> Value) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            readers?.changeBegins()
            defer { readers?.changeEnds() }
            do {
                return .success(try body(database))
            } catch let error as KeychainError {
                return .failure(error)
            } catch let error as DatabaseError {
                return .failure(KeychainError(error, on: database.sqliteConnection))
            } catch {
                return .failure(KeychainError(.internalComponent, "the item store's database refused"))
            }
        }
        return try noting(result)
    }
}

/// When a change is on disk.
package enum Durability: Sendable {
    /// When the call returns, as each change that somebody is told of.
    case now
    /// With the next change that is. A power cut may take it back as a whole, so that it is for what can be done again: rows of a
    /// damaged file, which stays where it is.
    case later
}

/// How a transaction ends, and what comes of it.
package enum WriteOutcome<Value: Sendable>: Sendable {
    case commit(Value)
    case rollback(Value)
}
