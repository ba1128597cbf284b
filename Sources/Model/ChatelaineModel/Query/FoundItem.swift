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
    /// As they were given, without what was filled in; nil when nobody asked for attributes, or when there are none.
    package var constraints: AccessConstraints?
    /// Of a private or public key, whatever was asked for; of an identity, its private key.
    package var key: KeyDescription?
    /// Where the private key of an identity is, whose own identifier is that of its certificate; nil for everything else.
    package var keyItem: ItemIdentifier?

    package init(
        identifier: ItemIdentifier, itemClass: ItemClass, accessibility: Accessibility, isSynchronizable: Bool,
        attributes: EncodedAttributes?, secret: SecretBytes?, constraints: AccessConstraints? = nil,
        key: KeyDescription? = nil, keyItem: ItemIdentifier? = nil
    ) {
        self.identifier = identifier
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        encodedAttributes = attributes
        self.secret = secret
        self.constraints = constraints
        self.key = key
        self.keyItem = keyItem
    }

    /// Class and constraints together, as far as they were asked for.
    package var accessControl: AccessControl { AccessControl(protection: accessibility, constraints: constraints) }

    /// The attributes as values, made anew each time; empty when nobody asked.
    ///
    /// What came in a message or from a seal was checked there, so that nothing can fail here. The access group has the name that
    /// programs have for it: what it is kept as, with its owner, is nobody's who asks.
    package var attributes: AttributeSet {
        var attributes = (try? encodedAttributes?.decoded()) ?? AttributeSet()
        if case .text(let text)? = attributes[.accessGroup] {
            let group = AccessGroup(text)
            if group.isOfTeam { attributes[.accessGroup] = .text(group.name) }
        }
        return attributes
    }
}
