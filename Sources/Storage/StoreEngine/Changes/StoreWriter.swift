import CSQLiteSettings
import ChatelaineModel
import GRDB
import GRDBSQLite

/// The only writing connection of a store, with the state that it keeps between commits.
///
/// GRDB opens the connection, migrates its schema and gives each change its turn. Prepared statements write the rows.
// `@unchecked Sendable`: statements, integrity and readers are touched on GRDB's serial queue only.
package final class StoreWriter: @unchecked Sendable {
    /// Pages of the log after which a commit moves them into the database: four megabytes, read in a few milliseconds
    /// after a crash.
    static let checkpointPages = 1000
    /// The size to which the log is cut after a large transaction.
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
    /// The readers that end their snapshots before a change, and may see the new state after it.
    ///
    /// The store holds them, and releases them before this connection. The connection is the last to close and clears
    /// the log away.
    private weak var readers: ReaderPool?
    private var isRetired = false
    private var barred = BarredKeys()
    /// The copies that are under way; SQLite does not close a connection while a copy reads from it.
    private var copies: [OnlineBackup] = []
    /// How long the connection waits for readers to release the log, in milliseconds; changes wait for the same time.
    private static let logPatience: Int32 = 100

    /// Opens the database, or fills an empty file, and migrates it to the newest schema.
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
                // GRDB resets this setting in places; without a sync a commit is not durable.
                guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2,
                    try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
                else { throw KeychainError(.internalComponent, "the database does not keep to WAL and FULL") }
                return database.sqliteConnection
            }
            // SQLite falls back to reading where it may not write to one of its files, or fails to open one of them
            // once.
            try queue.writeWithoutTransaction { database in
                guard sqlite3_db_readonly(database.sqliteConnection, "main") == 0 else {
                    throw KeychainError(extended: SQLITE_READONLY, errno: 0, "opening \(path)")
                }
                try database.inTransaction(.immediate) { .rollback }
            }
            guard let handle else { throw KeychainError(.internalComponent, "the database closed while it opened") }
            // The log may be joined: `synchronous = FULL` holds, so that commits are synced before anybody looks for
            // their pages.
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

    /// From now on each change is checked against this record of the change before it.
    func use(_ integrity: StoreIntegrity) { queue.writeWithoutTransaction { _ in self.integrity = integrity } }

    /// Registers the closure that learns of a head record which this process did not write, before the change commits.
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
            guard let value else { throw KeychainError(.internalComponent, "a transaction ended without a result") }
            return value
        }
    }

    /// Runs `body` with the state of the store's integrity, between two changes.
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

    /// Registers the readers that are told of every change.
    func tell(_ readers: ReaderPool) { queue.writeWithoutTransaction { _ in self.readers = readers } }

    /// Runs a change: BEGIN IMMEDIATE, `body`, the head record, COMMIT, the mark.
    ///
    /// When it throws, no change is half-done.
    ///
    /// `body` asks no custodian for keys. The statuses are those of ``KeychainError/init(sqlite:on:_:line:)``.
    ///
    /// - Parameter durability: when the change is on disk.
    package func transaction<Value>(
        _ durability: Durability = .now, _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Value>
    ) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            readers?.changeBegins()
            defer { readers?.changeEnds() }
            do {
                guard !isRetired else { throw Self.retired }
                if durability == .later, let answer = try unsynced(database, { try run(body, .later) }) {
                    return .success(answer)
                }
                guard let answer = try run(body, .now) else {
                    throw KeychainError(.internalComponent, "a transaction ended without a result")
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

    /// Checks whether a connection with an empty cache finds the damage too.
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

    /// Ends changes: a change to a store that was set aside would be lost.
    func retire() { queue.writeWithoutTransaction { _ in isRetired = true } }

    /// From now on no row is written that names one of these keys (``BarredKeys``).
    func bar(_ keys: Set<Int64>, strictly: Bool) {
        queue.writeWithoutTransaction { _ in barred.bar(keys, strictly: strictly) }
    }

    /// Moves the log into the database and empties it, so that it holds no earlier state of a page; false while
    /// somebody reads it.
    func truncateLog() throws(KeychainError) -> Bool {
        // The checkpoint takes the locks of all readers.
        defer { noteLocks() }
        return try withConnection { (handle) throws(KeychainError) in
            readers?.changeBegins()
            defer { readers?.changeEnds() }
            sqlite3_busy_timeout(handle, Self.logPatience)
            defer { sqlite3_busy_timeout(handle, ReadConnection.busyTimeout) }
            return try ReadConnection.integer(handle, "PRAGMA wal_checkpoint(TRUNCATE)") == 0
        }
    }

    /// Checks whether the database can be read now.
    ///
    /// A lock that the system did not release after a failure keeps everybody from reading until all connections are
    /// replaced.
    func noteLocks() {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: path)
            _ = try ReadConnection.integer(connection.handle, "SELECT count(*) FROM store")
        } catch {
            if error.cause == .busy { health.noteLock() }
        }
    }

    /// Runs `body` on one state of the store, on the writing connection, whose memory has the pages of the last change.
    ///
    /// A reading connection forgets all its pages with each change. The caller makes sure that no change commits, since
    /// the call would wait for it.
    func read<Value>(_ body: (Reader) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try withConnection { (handle) throws(KeychainError) in
            try statements.inRead { () throws(KeychainError) in
                try watch.verify()
                return try body(Reader(handle, statements, watch))
            }
        }
    }

    /// Begins a copy of the database into an empty file; the caller has to end it with ``endCopy(_:)``.
    func beginCopy(to path: String) throws(KeychainError) -> OnlineBackup {
        try withConnection { (handle) throws(KeychainError) in
            let copy = try OnlineBackup(of: handle, to: path)
            copies.append(copy)
            return copy
        }
    }

    /// Ends a copy, complete or not.
    func endCopy(_ copy: OnlineBackup) {
        queue.writeWithoutTransaction { _ in
            copy.abandon()
            copies.removeAll { $0 === copy }
        }
    }

    /// Closes the connection, and moves the log into the database where no other connection is open.
    ///
    /// Copies under way fail.
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

    /// Runs `body` on the bare connection, between two changes.
    func withConnection<Value>(_ body: (OpaquePointer) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            Result { () throws(KeychainError) in
                guard !isRetired, let handle = database.sqliteConnection else { throw Self.retired }
                return try body(handle)
            }
        }
        return try noting(result)
    }

    /// Commits without a sync, in an order that a power cut keeps: the next synced commit syncs all commits before it.
    private func unsynced<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
        guard let handle = database.sqliteConnection else { throw Self.retired }
        // Without a sync, readers look for pages in the log right after the commit.
        let code = chatelaine_sqlite_join_log(handle, 0)
        guard code == SQLITE_OK else { throw KeychainError(extended: code, errno: 0, "writing to the log of \(path)") }
        _ = try ReadConnection.integer(handle, "PRAGMA synchronous = 1")
        defer {
            let isFull = (try? ReadConnection.integer(handle, "PRAGMA synchronous = 2")) != nil
            if !isFull || (try? ReadConnection.integer(handle, "PRAGMA synchronous")) != 2 {
                // The connection may not acknowledge another change.
                isRetired = true
                health.note(.suspect)
            } else {
                // A log that is no longer joined is only slower.
                _ = chatelaine_sqlite_join_log(handle, 1)
            }
        }
        return try body()
    }

    /// Runs a change in a transaction; nil where it was rolled back because it cannot wait for its sync.
    private func run<Value>(
        _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Value>, _ durability: Durability
    ) throws -> Value? {
        guard let integrity else { throw Self.unprepared }
        var answer: Value?
        var committed: (change: RowSetChange, sealed: SealedHead)?
        try statements.inChange {
            try watch.verify()
            let change = try integrity.begin(statements)
            // Another process wrote: the mark has to record the new history at once.
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
                // The report comes before the commit: after it, neither the next change nor the next opening would
                // notice the exchange.
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

    /// Runs `body` on the database outside of the prepared statements: for openings and for tests.
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
    /// When the call returns; this is for each change that gets an answer.
    case now
    /// With the next durable change.
    ///
    /// A power cut may take the change back as a whole. This is for work that can be done again, such as taking over
    /// the rows of a damaged file, which stays where it is.
    case later
}

/// The end of a transaction, with its result.
package enum WriteOutcome<Value: Sendable>: Sendable {
    case commit(Value)
    case rollback(Value)
}
