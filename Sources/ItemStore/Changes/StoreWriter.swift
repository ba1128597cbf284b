import ChatelaineModel
import GRDB
import GRDBSQLite

/// The one writing connection of a store, and the mark that follows its commits.
///
/// GRDB opens it, brings its schema up to date and runs its transactions; rows are written by prepared statements.
// `@unchecked Sendable`: statements, mark and readers are touched on GRDB's serial queue only.
final class StoreWriter: @unchecked Sendable {
    /// Pages of the log that are left before a commit moves them into the database: four megabytes, which is read in
    /// a few milliseconds after a crash.
    static let checkpointPages = 1000
    /// The log is cut to this after a large transaction.
    static let logByteLimit = 16 * 1024 * 1024

    private let path: String
    private let queue: DatabaseQueue
    private let statements: StatementCache
    private let clock: StoreClock
    private let health: StoreHealth
    private let log: @Sendable (StoreEvent) -> Void
    private var mark: Mark?
    /// Who has to let go of the old state before a change, and may see the new one after it. The store holds them, and
    /// lets go of them before this connection, which clears the log away as the last to close.
    private weak var readers: ReaderPool?
    private var isRetired = false

    /// Opens the database, or fills an empty file; the schema is the newest afterwards.
    init(
        path: String, clock: StoreClock, health: StoreHealth, log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) {
        self.path = path
        self.clock = clock
        self.health = health
        self.log = log
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(Double(ReadConnection.busyTimeout) / 1000)
            configuration.foreignKeysEnabled = false
            configuration.label = "chatelaine.store"
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
            try StoreSchema.migrator.migrate(queue)
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
                    throw KeychainError(extended: SQLITE_READONLY, errno: 0, "opening the database")
                }
                try database.inTransaction(.immediate) { .rollback }
            }
            guard let handle else { throw KeychainError(.internalComponent, "the database closed while it opened") }
            statements = StatementCache(handle)
        } catch let error as KeychainError {
            throw error
        } catch let error as DatabaseError {
            throw KeychainError(error, on: nil)
        } catch {
            throw KeychainError(.internalComponent, "opening the item store failed")
        }
    }

    /// From now on every commit is noted there.
    func use(_ mark: Mark) { queue.writeWithoutTransaction { _ in self.mark = mark } }

    /// From now on these are told of every change.
    func tell(_ readers: ReaderPool) { queue.writeWithoutTransaction { _ in self.readers = readers } }

    /// Runs a change: BEGIN IMMEDIATE, `body`, the sequence, COMMIT, the mark. Nothing is half-done when it throws.
    ///
    /// `body` asks no one for keys. The statuses are those of ``KeychainError/init(sqlite:on:_:line:)``.
    func transaction<Value>(
        _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Value>
    ) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            readers?.changeBegins()
            defer { readers?.changeEnds() }
            do {
                guard !isRetired else { throw Self.retired }
                return .success(try run(body, on: database))
            } catch let error as KeychainError {
                return .failure(error)
            } catch let error as DatabaseError {
                return .failure(KeychainError(error, on: database.sqliteConnection))
            } catch {
                return .failure(KeychainError(.internalComponent, "a transaction of the item store failed"))
            }
        }
        if case .failure(let error) = result, error.isDamage { confirmDamage() }
        return try noting(result)
    }

    private func noting<Value>(_ result: Result<Value, KeychainError>) throws(KeychainError) -> Value {
        if case .failure(let error) = result, error.isLock { health.noteLock() }
        return try result.get()
    }

    /// Whether a connection with nothing in its memory finds the damage too.
    private func confirmDamage() {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: path)
            let check = try PreparedStatement(connection.handle, "PRAGMA quick_check(1)")
            let isWhole = try check.step() && check.text(0) == "ok"
            health.note(isWhole ? .suspect : .damaged)
        } catch {
            health.note(error.isDamage ? .damaged : .suspect)
        }
    }

    private static var retired: KeychainError {
        KeychainError(.notAvailable, "the item store was replaced by another while it was in use; try again")
    }

    /// Takes no more changes: what is written to a store that was set aside would be lost.
    func retire() { queue.writeWithoutTransaction { _ in isRetired = true } }

    /// Ends the connection, with the log moved into the database where no other connection is open.
    func close() throws(KeychainError) {
        do { try queue.close() } catch {
            throw KeychainError(.internalComponent, "the item store's database does not close")
        }
    }

    /// Work of SQLite's on the connection itself, between two changes.
    func withConnection<Value>(
        evenIfRetired isAllowed: Bool = false, _ body: (OpaquePointer) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = queue.writeWithoutTransaction { database in
            Result { () throws(KeychainError) in
                guard isAllowed || !isRetired, let handle = database.sqliteConnection else { throw Self.retired }
                return try body(handle)
            }
        }
        return try noting(result)
    }

    private func run<Value>(
        _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Value>, on database: Database
    ) throws -> Value {
        var answer: Value?
        var committed: UInt64?
        try database.inTransaction(.immediate) {
            let sequence = try currentSequence() + 1
            let session = WriteSession(statements: statements, sequence: sequence, hour: clock.hour)
            switch try body(session) {
            case .rollback(let value):
                answer = value
                return .rollback
            case .commit(let value):
                answer = value
                let statement = try statements[.setSequence]
                statement.bind(1, Int64(clamping: sequence))
                try statement.run()
                committed = sequence
                return .commit
            }
        }
        if let committed {
            do throws(KeychainError) { try mark?.write(committed) } catch { log(.markFailed(error)) }
        }
        guard let answer else { throw KeychainError(.internalComponent, "a transaction came to no end") }
        return answer
    }

    private func currentSequence() throws(KeychainError) -> UInt64 {
        let statement = try statements[.sequence]
        defer { statement.reset() }
        guard try statement.step() else {
            throw KeychainError(.notAvailable, "the item store's database has lost its head record")
        }
        return UInt64(clamping: statement.integer(0))
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
