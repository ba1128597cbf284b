import ChatelaineModel

/// What a store says about itself.
public struct StoreStatistics: Sendable {
    public var store: StoreIdentifier
    public var schemaVersion: Int64
    /// Number of the last change.
    public var sequence: UInt64
    /// Live items by class.
    public var items: [ItemClass: Int]
    public var tombstones: Int
    public var quarantined: Int
    /// How often the mark was found ahead of the database.
    public var losses: Int
    /// Hundredths of a recovery that are done; nil where none goes on.
    public var recoveryPercent: Int?
    /// How often the store was recovered from damage since it was made or made anew, and what came of the last time.
    public var recoveries: Int
    public var lastRecovery: RecoveryCounts?
    /// What is missing, or may be, and nobody has acknowledged; nil where that is nothing.
    public var unacknowledged: LossReport?
    public var snapshots: Int
    /// When the newest was taken, in seconds since 2001.
    public var lastSnapshot: Double?
    /// The file that lists what was lost; nil where nothing ever was.
    public var lossList: String?
    public var databaseBytes: Int64
    public var logBytes: Int64
}
