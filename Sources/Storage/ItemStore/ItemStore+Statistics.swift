import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Counts and sizes, for `security status`; walks an index, so a few hundred milliseconds at a million items.
    package func statistics() throws(KeychainError) -> StoreStatistics {
        let connection = try ReadConnection(reading: engine.database)
        var items: [ItemClass: Int] = [:]
        let counting = try PreparedStatement(
            connection.handle, "SELECT class, count(*) FROM items INDEXED BY items_group WHERE tomb = 0 GROUP BY class")
        while try counting.step() {
            guard let itemClass = ItemClass(column: counting.integer(0)) else { continue }
            items[itemClass] = Int(counting.integer(1))
        }
        let tombstones = try ReadConnection.integer(
            connection.handle, "SELECT count(*) FROM items INDEXED BY items_tombs WHERE tomb = 1")
        let rows = try engine.statistics(connection)
        return StoreStatistics(
            store: identifier, schemaVersion: rows.schemaVersion, sequence: rows.sequence, items: items,
            tombstones: Int(tombstones), quarantined: rows.quarantined, losses: rows.losses,
            recoveryPercent: rows.recoveryPercent, resealing: resealingProgress(), recoveries: rows.recoveries,
            lastRecovery: rows.lastRecovery,
            unacknowledged: rows.unacknowledged, snapshots: rows.snapshots, lastSnapshot: rows.lastSnapshot,
            lossList: rows.lossList, databaseBytes: rows.databaseBytes, logBytes: rows.logBytes)
    }
}
