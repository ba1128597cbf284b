import ChatelaineModel
import GRDB

/// What a kind of store keeps beside its rows: a few values, by numbers that never change meaning.
///
/// They are no part of the digest of rows, so that whoever writes them authenticates them. A file keychain has its header here.
package typealias StoreProperties = [Int64: [UInt8]]

extension RowStore {
    /// All of them, as they are in the store now.
    package func properties() throws(KeychainError) -> StoreProperties {
        try readers.read { (reader) throws(KeychainError) in try Self.properties(reader.handle) }
    }

    /// Values of a database that no store has opened; throws as for damage where it has none.
    package static func properties(_ handle: OpaquePointer) throws(KeychainError) -> StoreProperties {
        let statement = try PreparedStatement(
            handle,
            "SELECT id, value FROM properties WHERE length(value) <= \(maximumPropertyBytes) LIMIT \(maximumProperties)"
        )
        var properties: StoreProperties = [:]
        while try statement.step() { properties[statement.integer(0)] = statement.bytes(1) }
        return properties
    }

    /// More than any kind of store has: whoever may write the file may write any number.
    private static let maximumProperties = 64
    /// Far more than a header has; what is longer counts as missing, and is not read into memory.
    private static let maximumPropertyBytes = 64 * 1024

    /// Writes some of them, all or none; on disk when it returns.
    package func write(_ properties: StoreProperties) throws(KeychainError) { try writer.write(properties) }

    /// Moves all that is in the log into the database, so that the file has everything; false where somebody reads the log just now.
    package func settleLog() throws(KeychainError) -> Bool { try writer.truncateLog() }
}

extension StoreWriter {
    /// Writes some properties, all or none; on disk when it returns.
    func write(_ properties: StoreProperties) throws(KeychainError) {
        try withDatabase { database in
            guard let handle = database.sqliteConnection else {
                throw KeychainError(.internalComponent, "the database closed while it was written to")
            }
            try database.inTransaction(.immediate) {
                let statement = try PreparedStatement(
                    handle, "INSERT OR REPLACE INTO properties (id, value) VALUES (?1, ?2)")
                for (number, value) in properties {
                    statement.bind(1, number)
                    try statement.bind(2, value)
                    try statement.run()
                }
                return .commit
            }
        }
    }
}
