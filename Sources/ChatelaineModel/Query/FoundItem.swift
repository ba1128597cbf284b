import ChatelaineMemory

/// An item as a search brought it up, with as much of it as was asked for.
public struct FoundItem: Sendable {
    public var identifier: ItemIdentifier
    public var itemClass: ItemClass
    public var accessibility: Accessibility
    public var isSynchronizable: Bool
    /// Everything sealed besides the secret, access group and dates included; empty when nobody asked.
    public var attributes: AttributeSet
    /// Nil when nobody asked, or when the item has none.
    public var secret: SecretBytes?

    public init(
        identifier: ItemIdentifier, itemClass: ItemClass, accessibility: Accessibility, isSynchronizable: Bool,
        attributes: AttributeSet, secret: SecretBytes?
    ) {
        self.identifier = identifier
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        self.attributes = attributes
        self.secret = secret
    }
}
