/// The items that a caller's dictionary describes, and what to return of them.
package struct ItemQuery: Sendable {
    package var itemClass: ItemClass
    /// Attributes besides those that have a property of their own here.
    package var attributes = AttributeSet()
    /// Whether case counts for nothing in the text of passwords' attributes; for searches only.
    package var ignoresCase = false
    package var accessGroup: AccessGroup?
    package var synchronizable = SynchronizableScope.local
    package var accessibility: Accessibility?
    /// Anything but ``ConstraintScope/any`` comes with ``accessibility``, since an access control has both.
    package var constraints = ConstraintScope.any
    /// The one item that is meant, by persistent reference.
    package var identifier: ItemIdentifier?
    /// The only items that count, where the query lists some; what is gone is passed over.
    package var items: [ItemIdentifier]?
    /// The only certificates (DER) that count, where the query lists some; then there are no ``items`` besides.
    package var certificates: [[UInt8]]?
    /// What certificates have to be besides.
    package var certificateTerms = CertificateTerms()
    /// Internet passwords whose server is this host or one below it.
    package var host: String?
    package var limit = MatchLimit.one
    package var returns: ReturnTypes = []
    package var authenticationUI = AuthenticationUI.allow
    package var prompt: OperationPrompt?
    /// Whether a deletion leaves a tombstone; nil: for synchronizable items only.
    package var leavesTombstone: Bool?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}
