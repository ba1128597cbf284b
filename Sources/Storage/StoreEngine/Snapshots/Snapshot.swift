import ChatelaineModel

/// A copy of a whole store as it was at one moment, sealed as the store is.
package struct Snapshot: Sendable, Equatable {
    /// The name of the snapshot's folder: time in UTC and a number, so that names sort by time.
    package var name: String
    /// The store of which the snapshot is a copy.
    package var store: StoreIdentifier
    /// The number of the last change in the snapshot.
    package var sequence: UInt64
    /// The date of the snapshot, in seconds since 2001.
    package var date: Double
    package var reason: SnapshotReason
    /// The number of items, without tombstones.
    package var items: Int
    /// The size of the database in bytes.
    package var bytes: Int64
    /// The format of the database.
    package var schemaVersion: Int64
}
