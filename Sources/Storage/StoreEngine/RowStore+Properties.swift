import ChatelaineModel
import GRDB

/// The values that a kind of store keeps beside its rows, by numbers that never change meaning.
///
/// The digest of rows does not cover them, so that whoever writes them has to authenticate them. A file keychain keeps
/// its header here.
package typealias StoreProperties = [Int64: [UInt8]]

extension RowStore {
    /// All properties of the store's present state.
    package func properties() throws(KeychainError) -> StoreProperties {
        try readers.read { (reader) throws(KeychainError) in try Self.properties(reader.handle) }
    }

    /// The properties in a database that no store has opened; throws the error of a damaged file where the table is
    /// missing.
    package static func properties(_ handle: OpaquePointer) throws(KeychainError) -> StoreProperties {
        let statement = try PreparedStatement(
            handle,
            "SELECT id, value FROM properties WHERE length(value) <= \(maximumPropertyBytes) LIMIT \(maximumProperties)"
        )
        var properties: StoreProperties = [:]
        while try statement.step() { properties[statement.integer(0)] = statement.bytes(1) }
        return properties
    }

    /// More properties than any kind of store has; the bound holds because the file may come from anybody.
    private static let maximumProperties = 64
    /// Far more bytes than a header has; a longer value counts as missing and is not read into memory.
    private static let maximumPropertyBytes = 64 * 1024

    /// Writes the given properties, all or none; they are on disk when it returns.
    package func write(_ properties: StoreProperties) throws(KeychainError) { try writer.write(properties) }

    /// Moves the whole log into the database, so that the file has everything; false while somebody reads the log.
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
