import ChatelaineMemory

/// An item that a search found, with the parts that were asked for.
package struct FoundItem: Sendable {
    package var identifier: ItemIdentifier
    package var itemClass: ItemClass
    package var accessibility: Accessibility
    package var isSynchronizable: Bool
    /// All sealed attributes, access group and dates included, without the secret; nil unless they were asked for.
    package var encodedAttributes: EncodedAttributes?
    /// Nil if it was not asked for, or if the item has none.
    package var secret: SecretBytes?
    /// The constraints as the program gave them, without what was filled in; nil if no attributes were asked for, or if
    /// there are none.
    package var constraints: AccessConstraints?
    /// The key that the item is, or the private key of an identity; present for every private or public key, whatever
    /// was asked.
    package var key: KeyDescription?
    /// The item of an identity's private key; nil for every other class.
    ///
    /// ``identifier`` is then that of the certificate.
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
    package var accessControl: AccessControl {
        AccessControl(protection: accessibility, constraints: constraints, isOfItem: true)
    }

    /// The attributes as values, decoded at each call; empty unless they were asked for.
    ///
    /// The encoding was checked when it came from a message or a seal, so that decoding cannot fail. The access group
    /// has the name that programs use. Its stored name also has the owner, and no caller uses that.
    package var attributes: AttributeSet {
        var attributes = (try? encodedAttributes?.decoded()) ?? AttributeSet()
        if case .text(let text)? = attributes[.accessGroup] {
            let group = AccessGroup(text)
            if group.isOfTeam { attributes[.accessGroup] = .text(group.name) }
        }
        return attributes
    }
}
