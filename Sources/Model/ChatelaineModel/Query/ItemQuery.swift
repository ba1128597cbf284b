/// The items that a caller's dictionary describes, and what to return of them.
package struct ItemQuery: Sendable {
    package var itemClass: ItemClass
    /// The attributes that have no property of their own here.
    package var attributes = AttributeSet()
    /// Whether the text attributes of passwords match regardless of case; for searches only.
    package var ignoresCase = false
    package var accessGroup: AccessGroup?
    package var synchronizable = SynchronizableScope.local
    package var accessibility: Accessibility?
    /// Which constraints the items have; anything but ``ConstraintScope/any`` comes with ``accessibility``, since an
    /// access control has both.
    package var constraints = ConstraintScope.any
    /// The one item that a persistent reference names.
    package var identifier: ItemIdentifier?
    /// The only items that count, if the query lists some; items that are gone are passed over.
    package var items: [ItemIdentifier]?
    /// The only certificates (DER) that count, if the query lists some. Where ``items`` is no nil either, both count.
    package var certificates: [[UInt8]]?
    /// Further conditions on certificates.
    package var certificateTerms = CertificateTerms()
    /// The host of internet passwords: their server is this host or one below it.
    package var host: String?
    package var limit = MatchLimit.one
    package var returns: ReturnTypes = []
    package var authenticationUI = AuthenticationUI.allow
    package var prompt: OperationPrompt?
    /// Whether a deletion leaves a tombstone; nil: for synchronizable items only.
    package var leavesTombstone: Bool?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}
