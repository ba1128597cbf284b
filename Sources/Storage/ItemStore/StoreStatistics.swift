import ChatelaineModel
import StoreEngine

/// What a store says about itself.
package struct StoreStatistics: Sendable {
    package var store: StoreIdentifier
    package var schemaVersion: Int64
    /// Number of the last change.
    package var sequence: UInt64
    /// Live items by class.
    package var items: [ItemClass: Int]
    package var tombstones: Int
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
