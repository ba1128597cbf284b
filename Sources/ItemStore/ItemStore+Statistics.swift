import ChatelaineModel

extension ItemStore {
    /// Counts and sizes, for `security status`; walks an index, so a few hundred milliseconds at a million items.
    public func statistics() throws(KeychainError) -> StoreStatistics {
        let database = folder + "/" + StoreFiles.database
        let connection = try ReadConnection(reading: database)
        func number(_ sql: String) throws(KeychainError) -> Int64 {
            try ReadConnection.integer(connection.handle, sql)
        }
        var items: [ItemClass: Int] = [:]
        let counting = try PreparedStatement(
            connection.handle, "SELECT class, count(*) FROM items INDEXED BY items_group WHERE tomb = 0 GROUP BY class")
        while try counting.step() {
            guard let itemClass = UInt8(exactly: counting.integer(0)).flatMap(ItemClass.init) else { continue }
            items[itemClass] = Int(counting.integer(1))
        }
        return StoreStatistics(
            store: identifier,
            schemaVersion: try number("PRAGMA user_version"),
            sequence: UInt64(clamping: try number("SELECT sequence FROM store")),
            items: items,
            tombstones: Int(try number("SELECT count(*) FROM items INDEXED BY items_tombs WHERE tomb = 1")),
            quarantined: Int(try number("SELECT count(*) FROM quarantine")),
            losses: Int(try number("SELECT count(*) FROM losses")),
            databaseBytes: StoreFolder.size(database),
            logBytes: StoreFolder.size(folder + "/" + StoreFiles.log))
    }
}
