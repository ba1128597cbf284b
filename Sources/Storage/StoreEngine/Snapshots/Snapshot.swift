import ChatelaineModel

/// A copy of a whole store as it was at one moment, sealed as the store is.
package struct Snapshot: Sendable, Equatable {
    /// The name of its folder: time in UTC and a number, so that names sort by time.
    package var name: String
    /// The store that it is of.
    package var store: StoreIdentifier
    /// The last change that it holds.
    package var sequence: UInt64
    /// When it was taken, in seconds since 2001.
    package var date: Double
    package var reason: SnapshotReason
    /// Items in it, tombstones left out.
    package var items: Int
    /// Size of its database.
    package var bytes: Int64
    /// Format of its database.
    package var schemaVersion: Int64
}
