import ChatelaineModel

/// The statistics of a store, whatever its rows are.
package struct RowStatistics: Sendable {
    package var schemaVersion: Int64
    /// The number of the last change.
    package var sequence: UInt64
    package var quarantined: Int
    /// How often the mark was ahead of the database.
    package var losses: Int
    /// How much of a recovery is done, in hundredths; nil without a recovery.
    package var recoveryPercent: Int?
    /// The progress of resealing; nil where no replaced key still exists.
    package var resealing: ResealingProgress?
    /// How often the store was recovered since it was made or made anew, and the counts of the last recovery.
    package var recoveries: Int
    package var lastRecovery: RecoveryCounts?
    /// What is missing, or may be, without an acknowledgement; nil for nothing.
    package var unacknowledged: LossReport?
    package var snapshots: Int
    /// The file that lists losses; nil where nothing was ever lost.
    package var lossList: String?
    package var databaseBytes: Int64
    package var logBytes: Int64
}

extension RowStore {
    /// Collects the statistics.
    ///
    /// - Parameter connection: a connection that reads ``database``.
    package func statistics(_ connection: ReadConnection) throws(KeychainError) -> RowStatistics {
        func number(_ sql: String) throws(KeychainError) -> Int64 {
            try ReadConnection.integer(connection.handle, sql)
        }
        return RowStatistics(
            schemaVersion: try number("PRAGMA user_version"),
            sequence: UInt64(clamping: try number("SELECT sequence FROM store")),
            quarantined: Int(try number("SELECT count(*) FROM quarantine")),
            losses: Int(try number("SELECT count(*) FROM losses")),
            recoveryPercent: recovery.flatMap { $0.isFinished ? nil : $0.percentDone },
            resealing: resealingProgress(),
            recoveries: Int(try number("SELECT count(*) FROM recoveries")),
            lastRecovery: try Self.lastRecovery(connection),
            unacknowledged: LossReport.sum(try losses()),
            snapshots: try SnapshotFolder(places, clock: clock).list().count,
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
