import ChatelaineModel
import GRDB
import GRDBSQLite

/// The check that a database consists of its schema's own objects and of nothing else.
///
/// Whoever may write the file can put SQL code into it: triggers, views, constraints, generated columns, other indexes.
/// Every connection switches some of it off (``ReadConnection/harden(_:)``). Any text that is not the schema's own
/// counts as damage, so that the rows move into a database without it.
extension RowSchema {
    /// A row of `sqlite_schema`; `sql` is the text that made the object, as SQLite keeps it.
    struct Object: Hashable, Sendable {
        let type: String
        let name: String
        let table: String
        let sql: String
    }

    /// The table of GRDB, whose text is not compared: another version of GRDB may write another text.
    private static let migrations = "grdb_migrations"

    /// The header values that every version of a store's database has.
    private var settings: [(pragma: String, value: Int64)] {
        [
            ("application_id", applicationID), ("page_size", Int64(DamagedDatabase.defaultPageSize)),
            ("auto_vacuum", 0),
        ]
    }

    /// The version whose objects the database matches exactly, whatever version it states; nil for any other objects.
    func version(of handle: OpaquePointer) throws(KeychainError) -> Int64? {
        guard let objects = try Self.objects(in: handle, atMost: try expected(version).count) else { return nil }
        for candidate in (1...version).reversed() where try expected(candidate) == objects { return candidate }
        return nil
    }

    /// Whether the database's header, and GRDB's record of migrations, have the values of this version.
    func hasHeader(of version: Int64, _ handle: OpaquePointer) throws(KeychainError) -> Bool {
        for (pragma, value) in settings + [("user_version", version)] {
            guard try ReadConnection.integer(handle, "PRAGMA \(pragma)") == value else { return false }
        }
        return try hasMigrations(of: version, handle)
    }

    /// Whether GRDB made just the migrations of this version: it would make a missing one again, and fail.
    private func hasMigrations(of version: Int64, _ handle: OpaquePointer) throws(KeychainError) -> Bool {
        let statement = try PreparedStatement(handle, "SELECT identifier FROM \(Self.migrations)")
        var left = Set((1...version).map { String($0) })
        while try statement.step() {
            guard left.remove(statement.text(0)) != nil else { return false }
        }
        return left.isEmpty
    }

    /// Throws the error of a damaged file where objects or header differ from those of the present version.
    func verify(_ handle: OpaquePointer) throws(KeychainError) {
        guard try isSound(handle) else {
            throw KeychainError(extended: SQLITE_CORRUPT, errno: 0, "comparing the schema")
        }
    }

    /// Whether objects and header are those of the present version.
    func isSound(_ handle: OpaquePointer) throws(KeychainError) -> Bool {
        guard try version(of: handle) == version else { return false }
        return try hasHeader(of: version, handle)
    }

    /// The objects of a database; nil for more than `limit`, since a foreign file may hold any number.
    private static func objects(
        in handle: OpaquePointer, atMost limit: Int
    ) throws(KeychainError) -> Set<Object>? {
        let statement = try PreparedStatement(handle, "SELECT type, name, tbl_name, sql FROM sqlite_schema")
        var objects: Set<Object> = []
        while try statement.step() {
            guard objects.count < limit else { return nil }
            let name = statement.text(1)
            objects.insert(
                Object(
                    type: statement.text(0), name: name, table: statement.text(2),
                    sql: name == migrations ? "" : statement.text(3)))
        }
        return objects
    }

    /// The objects of a version, as its migrations make them in an empty database.
    private func expected(_ version: Int64) throws(KeychainError) -> Set<Object> {
        if let known = known.withLock({ $0[version] }) { return known }
        let made: Set<Object>
        do {
            let queue = try DatabaseQueue()
            try migrator.migrate(queue, upTo: String(version))
            made = try queue.unsafeRead { database in
                guard let handle = database.sqliteConnection else { return [] }
                return try Self.objects(in: handle, atMost: .max) ?? []
            }
        } catch let error as KeychainError {
            throw error
        } catch let error as DatabaseError {
            throw KeychainError(error, on: nil)
        } catch {
            throw KeychainError(.internalComponent, "the schema of version \(version) cannot be made")
        }
        known.withLock { $0[version] = made }
        return made
    }
}

/// Verifies the schema again whenever it changed under an open connection.
///
/// SQLite counts schema changes in the database's header ("schema cookie"). Reading the count costs a look at a page in
/// memory. Each new count leads to a whole comparison.
final class SchemaWatch {
    private let handle: OpaquePointer
    private let schema: RowSchema
    private let statements: StatementCache
    private var verified: Int64?

    init(_ handle: OpaquePointer, _ schema: RowSchema, _ statements: StatementCache) {
        self.handle = handle
        self.schema = schema
        self.statements = statements
    }

    /// Throws the error of a damaged file.
    ///
    /// Inside a transaction, the result holds until the transaction ends.
    func verify() throws(KeychainError) {
        let reading = try statements[.schemaVersion]
        let count = try reading.step() ? reading.integer(0) : -1
        reading.reset()
        guard count != verified else { return }
        try schema.verify(handle)
        verified = count
    }
}
