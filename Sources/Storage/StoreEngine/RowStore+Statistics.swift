import ChatelaineModel

/// What every store says about itself, whatever its rows are.
package struct RowStatistics: Sendable {
    package var schemaVersion: Int64
    /// Number of the last change.
    package var sequence: UInt64
    package var quarantined: Int
    /// How often the mark was found ahead of the database.
    package var losses: Int
    /// Hundredths of a recovery that are done; nil where none goes on.
    package var recoveryPercent: Int?
    /// How far rows are sealed anew; nil where no key was replaced that is still there.
    package var resealing: ResealingProgress?
    /// How often the store was recovered from damage since it was made or made anew, and what came of the last time.
    package var recoveries: Int
    package var lastRecovery: RecoveryCounts?
    /// What is missing, or may be, and nobody has acknowledged; nil where that is nothing.
    package var unacknowledged: LossReport?
    package var snapshots: Int
    /// When the newest was taken, in seconds since 2001.
    package var lastSnapshot: Double?
    /// The file that lists what was lost; nil where nothing ever was.
    package var lossList: String?
    package var databaseBytes: Int64
    package var logBytes: Int64
}

extension RowStore {
    /// - Parameter connection: one that reads ``database``.
    package func statistics(_ connection: ReadConnection) throws(KeychainError) -> RowStatistics {
        func number(_ sql: String) throws(KeychainError) -> Int64 {
            try ReadConnection.integer(connection.handle, sql)
        }
        let snapshots = try SnapshotFolder(places, clock: clock).list()
        return RowStatistics(
            schemaVersion: try number("PRAGMA user_version"),
            sequence: UInt64(clamping: try number("SELECT sequence FROM store")),
            quarantined: Int(try number("SELECT count(*) FROM quarantine")),
            losses: Int(try number("SELECT count(*) FROM losses")),
            recoveryPercent: recovery.flatMap { $0.isFinished ? nil : $0.percentDone },
            resealing: resealingProgress(),
            recoveries: Int(try number("SELECT count(*) FROM recoveries")),
            lastRecovery: try Self.lastRecovery(connection),
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
