import ChatelaineModel
import GRDBSQLite
import Glibc

/// A snapshot's database, opened for reading: its head record, its structure, and its rows.
///
/// A row of it is unproven, like any row on a disk: whoever takes it over opens its seals first.
// `@unchecked Sendable`: one thread at a time uses it, which its holder ensures.
final class SnapshotReader: @unchecked Sendable {
    struct Head: Sendable {
        let store: StoreIdentifier
        let keybag: KeybagIdentifier?
        let sequence: UInt64
        let schemaVersion: Int64
    }

    let database: String
    let schema: RowSchema
    private let connection: ReadConnection
    private var statements: [String: PreparedStatement] = [:]

    /// Opens a snapshot; throws `errSecNotAvailable` for a file that is missing, damaged, newer than this code, or no
    /// store.
    init(database: String, schema: RowSchema) throws(KeychainError) {
        // A pipe, a device or a link was put there by somebody, and opening it could block.
        guard [S_IFREG, S_IFDIR].contains(try StoreFolder.kind(of: database)) else {
            throw KeychainError(
                cause: .unusableSnapshot, "a snapshot cannot be used: \(database) is missing, or no file")
        }
        self.database = database
        self.schema = schema
        connection = try ReadConnection(reading: database)
        guard let version = try schema.version(of: connection.handle),
            try schema.hasHeader(of: version, connection.handle)
        else {
            throw KeychainError(
                cause: .unusableSnapshot, "a snapshot cannot be used: \(database) is none that this version can read")
        }
    }

    /// Reads with a fresh reader, and again with another one where the first finds the snapshot unusable.
    ///
    /// SQLite calls a database damaged as soon as the disk fails to read one page once. The second opening decides.
    static func reading<Value>(
        _ database: String, _ schema: RowSchema, _ body: (SnapshotReader) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        do throws(KeychainError) { return try body(SnapshotReader(database: database, schema: schema)) } catch {
            guard error.isUnusableSnapshot else { throw error }
        }
        return try body(SnapshotReader(database: database, schema: schema))
    }

    func head() throws(KeychainError) -> Head {
        let statement = try PreparedStatement(
            connection.handle, "SELECT uuid, sequence, keybag FROM store WHERE id = 1")
        guard try statement.step(), let store = StoreIdentifier(statement.lend(0)),
            // A forged snapshot could have a number that leaves none for the changes of the restored store.
            (0...Int64(HighWaterMark.highestClaim)).contains(statement.integer(1))
        else {
            throw KeychainError(cause: .unusableSnapshot, "a snapshot cannot be used: it has no head record")
        }
        return Head(
            store: store, keybag: KeybagIdentifier(statement.lend(2)), sequence: UInt64(clamping: statement.integer(1)),
            schemaVersion: try ReadConnection.integer(connection.handle, "PRAGMA user_version"))
    }

    /// The number of rows, without tombstones.
    func rowCount() throws(KeychainError) -> Int {
        let layout = schema.layout
        let index = layout.group.flatMap { layout.columns[$0].index.map { " INDEXED BY \($0)" } } ?? ""
        return Int(
            clamping: try ReadConnection.integer(
                connection.handle, "SELECT count(*) FROM \(layout.table)\(index)\(layout.whereLive("WHERE"))"))
    }

    /// Throws `errSecNotAvailable` where SQLite finds a fault in the structure.
    func checkStructure() throws(KeychainError) {
        let statement = try PreparedStatement(connection.handle, "PRAGMA quick_check(1)")
        guard try statement.step(), statement.text(0) == "ok" else {
            throw KeychainError(cause: .unusableSnapshot, "a snapshot cannot be used: it is damaged")
        }
    }

    /// The row with an identifier, or else with a unique digest.
    func row(identifier: [UInt8], unique digest: [UInt8]? = nil) throws(KeychainError) -> WholeRow? {
        let layout = schema.layout
        if let row = try first("\(select) WHERE \(self.identifier) = ?1", identifier) { return row }
        guard let digest, let unique = layout.unique else { return nil }
        return try first("\(select) WHERE \(layout.name(unique)) = ?1\(layout.whereLive("AND"))", digest)
    }

    private var select: String { "SELECT \(schema.layout.list) FROM \(schema.layout.table)" }
    private var identifier: String { schema.layout.name(schema.layout.identifier) }
    private var identifiers: String { "SELECT \(identifier) FROM \(schema.layout.table)" }

    /// The version of a row; 0 for an unknown identifier.
    func version(of identifier: Bytes16) throws(KeychainError) -> UInt64 {
        let statement = try prepared(
            "SELECT \(schema.layout.name(schema.layout.version)) FROM \(schema.layout.table) WHERE \(self.identifier) = ?1"
        )
        defer { statement.reset() }
        try statement.bind(1, identifier)
        return try statement.step() ? UInt64(clamping: statement.integer(0)) : 0
    }

    /// Whether the snapshot has a row whose identifier is not among the given ones.
    func hasRow(outside identifiers: Set<Bytes16>) throws(KeychainError) -> Bool {
        let statement = try prepared(self.identifiers)
        defer { statement.reset() }
        while try statement.step() {
            if let identifier = Bytes16(statement.lend(0)), !identifiers.contains(identifier) { return true }
        }
        return false
    }

    /// Some identifiers, which serve to recognise the index of identifiers in a damaged file.
    func someIdentifiers(limit: Int) throws(KeychainError) -> [Bytes16] {
        let statement = try prepared(self.identifiers + " LIMIT ?1")
        defer { statement.reset() }
        statement.bind(1, Int64(limit))
        var identifiers: [Bytes16] = []
        while try statement.step() { if let identifier = Bytes16(statement.lend(0)) { identifiers.append(identifier) } }
        return identifiers
    }

    /// Passes each row to `body`, in a statement that reads its term, until that answers false.
    func readTerms(_ body: (PreparedStatement) throws(KeychainError) -> Bool) throws(KeychainError) {
        let statement = try prepared(EngineStatement.terms.sql(for: schema.layout))
        defer { statement.reset() }
        while try statement.step() { guard try body(statement) else { break } }
    }

    /// The digest of all rows, and the head record's claim about it; the claim is nil without a seal, as before format
    /// 3.
    func integrity(
        _ keys: IntegrityKeys, of store: StoreIdentifier
    ) throws(KeychainError) -> (rows: RowMultisetHash, head: IntegrityHead?) {
        let head = try head(keys, of: store)
        return (try keys.authenticator.rows(StatementCache(connection.handle, schema)), head)
    }

    /// The head record's claim about all rows; nil without a seal, as before format 3.
    func head(_ keys: IntegrityKeys, of store: StoreIdentifier) throws(KeychainError) -> IntegrityHead? {
        guard try ReadConnection.integer(connection.handle, "PRAGMA user_version") >= schema.firstSealedVersion
        else { return nil }
        let reading = try prepared(EngineStatement.head.sql(for: schema.layout))
        defer { reading.reset() }
        return try reading.step() ? keys.open(reading.lend(1), of: store) : nil
    }

    /// Passes identifier, version and term of each row to `body`; a term is computed on demand.
    func forEachTerm(
        _ authenticator: RowAuthenticator, _ body: (Bytes16, Int64, () -> RowTerm) -> Void
    ) throws(KeychainError) {
        let statement = try prepared(EngineStatement.terms.sql(for: schema.layout))
        defer { statement.reset() }
        while try statement.step() {
            guard let identifier = Bytes16(authenticator.identifier(statement)) else { continue }
            body(identifier, authenticator.version(statement)) { authenticator.term(statement) }
        }
    }

    /// The base of the recovery that goes on in the snapshot, or 0; for a format whose head record has no seal.
    func recovery() throws(KeychainError) -> UInt64 {
        guard try ReadConnection.integer(connection.handle, "PRAGMA user_version") >= schema.firstRecoverableVersion
        else { return 0 }
        let statement = try prepared(EngineStatement.recovery.sql(for: schema.layout))
        defer { statement.reset() }
        return try statement.step() ? UInt64(clamping: statement.integer(1)) : 0
    }

    /// The rows after `last` in their order, at most one batch.
    func rows(after last: Int64) throws(KeychainError) -> [WholeRow] {
        let statement = try prepared(EngineStatement.wholeRows.sql(for: schema.layout))
        defer { statement.reset() }
        statement.bind(1, last)
        statement.bind(2, Int64(RowBatch.maximumRows))
        var batch = RowBatch()
        while try statement.step() {
            let row = WholeRow(statement, schema.layout)
            guard batch.hasRoom(for: row.byteCount) else { break }
            batch.append(row, bytes: row.byteCount)
        }
        return batch.rows
    }

    /// The identifiers of the rows that a digest or identifier leads to, by any index.
    func identifiers(of value: [UInt8], limit: Int) throws(KeychainError) -> [[UInt8]] {
        var conditions = schema.layout.keysOfFew.map { "\(schema.layout.name($0)) = ?1" }
        if let group = schema.groupCondition { conditions.append(group) }
        let statement = try prepared(
            conditions.map { "\(self.identifiers) WHERE \($0)" }.joined(separator: " UNION ALL ") + " LIMIT ?2")
        defer { statement.reset() }
        try statement.bind(1, value)
        statement.bind(2, Int64(limit))
        var identifiers: [[UInt8]] = []
        while try statement.step() { identifiers.append(statement.bytes(0)) }
        return identifiers
    }

    private func first(_ sql: String, _ value: [UInt8]) throws(KeychainError) -> WholeRow? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, value)
        return try statement.step() ? WholeRow(statement, schema.layout) : nil
    }

    func prepared(_ sql: String) throws(KeychainError) -> PreparedStatement {
        if let statement = statements[sql] { return statement }
        let statement = try PreparedStatement(connection.handle, sql)
        statements[sql] = statement
        return statement
    }
}

extension KeychainError {
    /// Whether the snapshot itself is damaged or invalid, so that it may be ignored; not so where disk or system
    /// failed.
    var isUnusableSnapshot: Bool { cause == .damage || cause == .unusableSnapshot }
}
