import ChatelaineModel

/// What a row's seals and wraps are bound to: open one in any other place and it fails.
package struct RowContext: Hashable, Sendable {
    package var store: StoreIdentifier
    package var row: ItemIdentifier
    /// Grows with every new version of the row's secret or attributes.
    package var version: UInt64
    package var itemClass: ItemClass
    package var accessibility: Accessibility
    package var isSynchronizable: Bool
    package var isTombstone: Bool
    /// The access group, by its keyed digest (behaviour/differences.md, 28).
    package var groupDigest: Bytes16
    /// What the item's secret may be used for; nil for nearly all items, whose class alone protects them.
    package var constraints: AccessConstraints?

    package init(
        store: StoreIdentifier, row: ItemIdentifier, version: UInt64, itemClass: ItemClass,
        accessibility: Accessibility, isSynchronizable: Bool, isTombstone: Bool, groupDigest: Bytes16,
        constraints: AccessConstraints? = nil
    ) {
        self.store = store
        self.row = row
        self.version = version
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        self.isTombstone = isTombstone
        self.groupDigest = groupDigest
        self.constraints = constraints
    }
}
