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
    /// What may become of a private key; nil for everything else, whose row keys the custodian gives out.
    package var privateKeyUse: PrivateKeyUse?

    package init(
        store: StoreIdentifier, row: ItemIdentifier, version: UInt64, itemClass: ItemClass,
        accessibility: Accessibility, isSynchronizable: Bool, isTombstone: Bool, groupDigest: Bytes16,
        constraints: AccessConstraints? = nil, privateKeyUse: PrivateKeyUse? = nil
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
        self.privateKeyUse = privateKeyUse
    }

    /// Whether its row key may be wrapped anew where nobody opens the secret: then the class key is no part of the seal over that.
    package var keepsSecretSealed: Bool { constraints != nil || privateKeyUse != nil }

    /// The key that the seal over a secret names.
    package func secretKeyID(_ classKey: UInt32) -> UInt32 { keepsSecretSealed ? 0 : classKey }
}
