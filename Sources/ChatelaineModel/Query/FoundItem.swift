import ChatelaineMemory

/// An item as a search brought it up, with as much of it as was asked for.
public struct FoundItem: Sendable {
    public var identifier: ItemIdentifier
    public var itemClass: ItemClass
    public var accessibility: Accessibility
    public var isSynchronizable: Bool
    /// Everything sealed besides the secret, access group and dates included; nil when nobody asked.
    public var encodedAttributes: EncodedAttributes?
    /// Nil when nobody asked, or when the item has none.
    public var secret: SecretBytes?

    public init(
        identifier: ItemIdentifier, itemClass: ItemClass, accessibility: Accessibility, isSynchronizable: Bool,
        attributes: EncodedAttributes?, secret: SecretBytes?
    ) {
        self.identifier = identifier
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        encodedAttributes = attributes
        self.secret = secret
    }

    /// The attributes as values, made anew each time; empty when nobody asked.
    ///
    /// What came in a message or from a seal was checked there, so that nothing can fail here.
    public var attributes: AttributeSet { (try? encodedAttributes?.decoded()) ?? AttributeSet() }
}
