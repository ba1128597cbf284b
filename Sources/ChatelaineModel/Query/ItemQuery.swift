/// The items that a caller's dictionary describes, and what to return of them.
public struct ItemQuery: Sendable {
    public var itemClass: ItemClass
    /// Attributes besides those that have a property of their own here.
    public var attributes = AttributeSet()
    public var accessGroup: AccessGroup?
    public var synchronizable = SynchronizableScope.local
    public var accessibility: Accessibility?
    /// The one item that is meant, by persistent reference.
    public var identifier: ItemIdentifier?
    /// The only items that count, where the query lists some; what is gone is passed over.
    public var items: [ItemIdentifier]?
    /// Internet passwords whose server is this host or one below it.
    public var host: String?
    public var limit = MatchLimit.one
    public var returns: ReturnTypes = []
    public var authenticationUI = AuthenticationUI.allow
    /// Whether a deletion leaves a tombstone; nil: for synchronizable items only.
    public var leavesTombstone: Bool?

    public init(itemClass: ItemClass) { self.itemClass = itemClass }
}
