import ChatelaineMemory

/// What `SecItemUpdate` changes in every item that its query describes.
package struct ItemChange: Sendable {
    package var attributes = AttributeSet()
    package var accessGroup: AccessGroup?
    package var isSynchronizable: Bool?
    /// With ``constraints`` the access control that an item gets; nil leaves it the one it has.
    package var accessibility: Accessibility?
    package var constraints: AccessConstraints?
    /// Of items in a file keychain; nil leaves them the one they have.
    package var access: AccessObject?
    /// The same of single items, for which this one counts. No request says it.
    package var accessObjects: [ItemIdentifier: AccessObject] = [:]
    package var secret: SecretBytes?

    package init() {}

    /// Whether it changes nothing but the modification date.
    package var isEmpty: Bool {
        attributes.count == 0 && accessGroup == nil && isSynchronizable == nil && accessibility == nil
            && constraints == nil && access == nil && accessObjects.isEmpty && secret == nil
    }
}
