import ChatelaineMemory

/// An item as a search brought it up, with as much of it as was asked for.
package struct FoundItem: Sendable {
    package var identifier: ItemIdentifier
    package var itemClass: ItemClass
    package var accessibility: Accessibility
    package var isSynchronizable: Bool
    /// Everything sealed besides the secret, access group and dates included; nil when nobody asked.
    package var encodedAttributes: EncodedAttributes?
    /// Nil when nobody asked, or when the item has none.
    package var secret: SecretBytes?

    package init(
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
    package var attributes: AttributeSet { (try? encodedAttributes?.decoded()) ?? AttributeSet() }
}
