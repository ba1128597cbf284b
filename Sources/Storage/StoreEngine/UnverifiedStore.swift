import ChatelaineModel
import GRDBSQLite

/// A store as it lies on the disk, read without any key: none of its contents is proven.
///
/// Whoever may write the file may have written anything. The file has to match the schema exactly, and every
/// connection's limits apply. One thread uses the value at a time.
package final class UnverifiedStore {
    package let identifier: StoreIdentifier
    package let statements: StatementCache
    /// The number of the last change, as the file claims it.
    package let sequence: UInt64
    private let connection: ReadConnection
    private let exhaustion = Interruption()

    /// Opens a database of a kind of store.
    ///
    /// - Parameters:
    ///   - database: an absolute path.
    ///   - hasLog: whether the log of a store that was not closed lies beside the database; it is read as well. Without
    ///     a log, only the file is read, and nobody may write it meanwhile.
    /// - Throws: with the cause `damage` for a file that is no such store or has additional content; with
    ///   `newerFormat`.
    package init(_ database: String, _ schema: RowSchema, hasLog: Bool) throws(KeychainError) {
        connection = hasLog ? try ReadConnection(reading: database) : try ReadConnection(resting: database)
        let handle = connection.handle
        guard try ReadConnection.integer(handle, "PRAGMA application_id") == schema.applicationID else {
            throw KeychainError(extended: SQLITE_NOTADB, errno: 0, "looking for a header of ours")
        }
        let version = try ReadConnection.integer(handle, "PRAGMA user_version")
        guard version <= schema.version else {
            throw KeychainError(
                cause: .newerFormat,
                "\(database) was written by a newer version of this software (format \(version)); use that version")
        }
        guard let known = try schema.version(of: handle), try schema.hasHeader(of: known, handle) else {
            throw KeychainError(extended: SQLITE_CORRUPT, errno: 0, "comparing the schema")
        }
        let head = try PreparedStatement(handle, "SELECT uuid, sequence FROM store WHERE id = 1")
        guard try head.step(), let identifier = StoreIdentifier(head.bytes(0)), head.isInteger(1),
            head.integer(1) >= 0
        else {
            throw KeychainError(extended: SQLITE_CORRUPT, errno: 0, "reading the head record")
        }
        self.identifier = identifier
        sequence = UInt64(head.integer(1))
        statements = StatementCache(handle, schema)
    }

    /// Lets each statement take that many steps; see ``ReadConnection/limit(steps:setting:)``.
    package func limit(steps: Int32) { connection.limit(steps: steps, setting: exhaustion) }

    /// Whether a statement failed because it had taken as many steps as it may.
    package var isExhausted: Bool { exhaustion.isSet }

    /// The largest damaged file that is surveyed: all its pages are read, and anybody can make a sparse file of a
    /// terabyte.
    private static let maximumSurveyedBytes: Int64 = 1 << 30

    /// The identifier of a damaged database, from any page that has it; nil for a file of more than a gigabyte.
    package static func identifier(
        ofDamaged database: String, hasLog: Bool, _ schema: RowSchema
    ) throws(KeychainError) -> StoreIdentifier? {
        guard try StoreFolder.size(database) <= maximumSurveyedBytes else { return nil }
        let log = hasLog ? database + "-wal" : nil
        let damaged = try DamagedDatabase(
            database, log: log, in: StoreFolder.parent(of: database), layout: schema.layout)
        // A stranger may have written rows whose further pages lead in circles.
        return damaged?.survey(followsRows: false).store
    }

    package func properties() throws(KeychainError) -> StoreProperties { try RowStore.properties(connection.handle) }

    /// The answer that a request got, for a client that asks again.
    ///
    /// It proves as little as the rest of the file. The name of a request is a number that nobody else knows, so that
    /// nobody can plant its answer.
    package func answer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try WriteSession.answer(to: request, statements)
    }

    /// Whether the store began as a recovery from the store that was set aside under that name.
    package func isRecovered(from name: String) throws(KeychainError) -> Bool {
        let statement = try PreparedStatement(
            connection.handle, "SELECT 1 FROM recoveries WHERE CAST(damaged AS BLOB) = ?1")
        try statement.bind(1, Array(name.utf8))
        return try statement.step()
    }
}
