import ChatelaineModel

/// The context to which a row's seals and wrapped keys are bound; they do not open in any other.
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
    /// The conditions for the use of the item's secret; nil for nearly all items, which only their class protects.
    package var constraints: AccessConstraints?
    /// The allowed use of a private key; nil for other items, whose row keys the custodian hands out.
    package var keyCustody: KeyCustody?

    package init(
        store: StoreIdentifier, row: ItemIdentifier, version: UInt64, itemClass: ItemClass,
        accessibility: Accessibility, isSynchronizable: Bool, isTombstone: Bool, groupDigest: Bytes16,
        constraints: AccessConstraints? = nil, keyCustody: KeyCustody? = nil
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
        self.keyCustody = keyCustody
    }

    /// Whether the row key can be rewrapped while the secret stays sealed, because the class key is not in the context
    /// of that seal.
    package var keepsSecretSealed: Bool { constraints != nil || keyCustody != nil }

    /// The key id in the context of the seal over a secret.
    package func secretKeyID(_ classKey: UInt32) -> UInt32 { keepsSecretSealed ? 0 : classKey }
}
