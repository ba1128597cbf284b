import ChatelaineModel

/// What a row's seals and wraps are bound to: open one in any other place and it fails.
public struct RowContext: Hashable, Sendable {
    public var store: StoreIdentifier
    public var row: ItemIdentifier
    /// Grows with every new version of the row's secret or attributes.
    public var version: UInt64
    public var itemClass: ItemClass
    public var accessibility: Accessibility
    public var isSynchronizable: Bool
    public var isTombstone: Bool
    /// The access group, by its keyed digest (behaviour/differences.md, 28).
    public var groupDigest: Bytes16

    public init(
        store: StoreIdentifier, row: ItemIdentifier, version: UInt64, itemClass: ItemClass,
        accessibility: Accessibility, isSynchronizable: Bool, isTombstone: Bool, groupDigest: Bytes16
    ) {
        self.store = store
        self.row = row
        self.version = version
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        self.isTombstone = isTombstone
        self.groupDigest = groupDigest
    }
}
