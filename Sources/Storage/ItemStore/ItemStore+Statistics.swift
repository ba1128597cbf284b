import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Counts and sizes, for `security status`; it walks an index, which takes a few hundred milliseconds for a million
    /// items.
    package func statistics() throws(KeychainError) -> StoreStatistics { try engine.withOwnConnection(statistics) }

    private func statistics(_ connection: ReadConnection) throws(KeychainError) -> StoreStatistics {
        var items: [ItemClass: Int] = [:]
        let counting = try PreparedStatement(
            connection.handle, "SELECT class, count(*) FROM items INDEXED BY items_group WHERE tomb = 0 GROUP BY class")
        while try counting.step() {
            guard let itemClass = ItemClass(column: counting.integer(0)) else { continue }
            items[itemClass] = Int(counting.integer(1))
        }
        let tombstones = try ReadConnection.integer(
            connection.handle, "SELECT count(*) FROM items INDEXED BY items_tombs WHERE tomb = 1")
        return StoreStatistics(
            store: identifier, items: items, tombstones: Int(tombstones), rows: try engine.statistics(connection))
    }
}
