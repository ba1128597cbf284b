import ChatelaineMemory

/// What `SecItemUpdate` changes in every item that its query describes.
package struct ItemChange: Sendable {
    package var attributes = AttributeSet()
    package var accessGroup: AccessGroup?
    package var isSynchronizable: Bool?
    package var accessibility: Accessibility?
    package var secret: SecretBytes?

    package init() {}
}
