import ChatelaineModel

/// A copy of a whole store as it was at one moment, sealed as the store is.
public struct Snapshot: Sendable, Equatable {
    /// The name of its folder: time in UTC and a number, so that names sort by time.
    public var name: String
    /// The store that it is of.
    public var store: StoreIdentifier
    /// The last change that it holds.
    public var sequence: UInt64
    /// When it was taken, in seconds since 2001.
    public var date: Double
    public var reason: SnapshotReason
    /// Items in it, tombstones left out.
    public var items: Int
    /// Size of its database.
    public var bytes: Int64
    /// Format of its database.
    public var schemaVersion: Int64
}
