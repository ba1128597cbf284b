import ChatelaineModel

extension ItemStore {
    /// Counts and sizes, for `security status`; walks an index, so a few hundred milliseconds at a million items.
    package func statistics() throws(KeychainError) -> StoreStatistics {
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
        let recoveries = Int(try number("SELECT count(*) FROM recoveries"))
        let snapshots = try SnapshotFolder(places, clock: clock).list()
        return StoreStatistics(
            store: identifier,
            schemaVersion: try number("PRAGMA user_version"),
            sequence: UInt64(clamping: try number("SELECT sequence FROM store")),
            items: items,
            tombstones: Int(try number("SELECT count(*) FROM items INDEXED BY items_tombs WHERE tomb = 1")),
            quarantined: Int(try number("SELECT count(*) FROM quarantine")),
            losses: Int(try number("SELECT count(*) FROM losses")),
            recoveryPercent: recovery.flatMap { $0.isFinished ? nil : $0.percentDone },
            recoveries: recoveries, lastRecovery: try Self.lastRecovery(connection),
            unacknowledged: LossReport.sum(try losses()), snapshots: snapshots.count,
            lastSnapshot: snapshots.first?.date,
            lossList: try StoreFolder.exists(places.losses) ? places.losses : nil,
            databaseBytes: try StoreFolder.size(database),
            logBytes: try StoreFolder.size(folder + "/" + StoreFiles.log))
    }

    private static func lastRecovery(_ connection: ReadConnection) throws(KeychainError) -> RecoveryCounts? {
        let statement = try PreparedStatement(
            connection.handle,
            "SELECT salvaged, restored, set_aside, lost FROM recoveries ORDER BY entry DESC LIMIT 1")
        guard try statement.step() else { return nil }
        return RecoveryCounts(
            salvaged: Int(clamping: statement.integer(0)), restored: Int(clamping: statement.integer(1)),
            setAside: Int(clamping: statement.integer(2)), lost: Int(clamping: statement.integer(3)))
    }
}
