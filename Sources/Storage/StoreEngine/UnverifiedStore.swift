import ChatelaineModel
import GRDBSQLite

/// A store that nobody has opened, as it lies on the disk: read without any key, so that nothing of it is proven.
///
/// Whoever may write the file may have written anything. It is held to the schema to the letter, and to the limits of every connection.
/// Used by one thread at a time.
package final class UnverifiedStore {
    package let identifier: StoreIdentifier
    package let statements: StatementCache
    /// The number of its last change, as it says itself.
    package let sequence: UInt64
    private let connection: ReadConnection

    /// Opens a database of a kind of store.
    ///
    /// - Parameters:
    ///   - database: an absolute path.
    ///   - hasLog: whether a log lies beside it, of a store that was not closed; it is read as well. Else nothing is looked at but the file,
    ///     which nobody is to write meanwhile.
    /// - Throws: with the causes `damage` for a file that is no such store or has anything besides, and `newerFormat`.
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
        guard try head.step(), let identifier = StoreIdentifier(head.bytes(0)), head.integer(1) >= 0 else {
            throw KeychainError(extended: SQLITE_CORRUPT, errno: 0, "reading the head record")
        }
        self.identifier = identifier
        sequence = UInt64(head.integer(1))
        statements = StatementCache(handle, schema)
    }

    /// All pages of a damaged file are looked at, so that one that is larger is not: anybody can make a file of a terabyte that takes no room.
    private static let maximumSurveyedBytes: Int64 = 1 << 30

    /// What a damaged database calls itself, where any page of it says so; nil for one of more than a gigabyte.
    package static func identifier(
        ofDamaged database: String, hasLog: Bool, _ schema: RowSchema
    ) throws(KeychainError) -> StoreIdentifier? {
        guard try StoreFolder.size(database) <= maximumSurveyedBytes else { return nil }
        let log = hasLog ? database + "-wal" : nil
        let damaged = try DamagedDatabase(
            database, log: log, in: StoreFolder.parent(of: database), layout: schema.layout)
        return damaged?.survey(since: 0, indexing: false).store
    }

    package func properties() throws(KeychainError) -> StoreProperties { try RowStore.properties(connection.handle) }

    /// How many rows it has.
    package func count() throws(KeychainError) -> Int64 {
        try ReadConnection.integer(connection.handle, "SELECT count(*) FROM \(statements.schema.layout.table)")
    }

    /// Whether it began as a recovery from the store that was set aside under that name.
    package func isRecovered(from name: String) throws(KeychainError) -> Bool {
        let statement = try PreparedStatement(
            connection.handle, "SELECT 1 FROM recoveries WHERE CAST(damaged AS BLOB) = ?1")
        try statement.bind(1, Array(name.utf8))
        return try statement.step()
    }
}
