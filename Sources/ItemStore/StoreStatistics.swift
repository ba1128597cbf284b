import ChatelaineModel

/// What a store says about itself.
public struct StoreStatistics: Sendable {
    public var store: ItemIdentifier
    public var schemaVersion: Int64
    /// Number of the last change.
    public var sequence: UInt64
    /// Live items by class.
    public var items: [ItemClass: Int]
    public var tombstones: Int
    public var quarantined: Int
    /// How often the mark was found ahead of the database.
    public var losses: Int
    public var databaseBytes: Int64
    public var logBytes: Int64
}
