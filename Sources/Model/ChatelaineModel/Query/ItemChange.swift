import ChatelaineMemory

/// The changes that `SecItemUpdate` makes to every item that its query describes.
package struct ItemChange: Sendable {
    package var attributes = AttributeSet()
    package var accessGroup: AccessGroup?
    package var isSynchronizable: Bool?
    /// The access control that an item gets, together with ``constraints``; nil leaves it as it is.
    package var accessibility: Accessibility?
    package var constraints: AccessConstraints?
    /// The access object that items of a file keychain get; nil leaves it as it is.
    package var access: AccessObject?
    /// Access objects of single items, which replace ``access`` for them. They are not part of a request.
    package var accessObjects: [ItemIdentifier: AccessObject] = [:]
    package var secret: SecretBytes?

    package init() {}

    /// Whether it changes nothing but the modification date.
    package var isEmpty: Bool {
        attributes.count == 0 && accessGroup == nil && isSynchronizable == nil && accessibility == nil
            && constraints == nil && access == nil && accessObjects.isEmpty && secret == nil
    }
}
