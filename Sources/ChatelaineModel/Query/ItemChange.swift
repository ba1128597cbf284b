import ChatelaineMemory

/// What `SecItemUpdate` changes in every item that its query describes.
public struct ItemChange: Sendable {
    public var attributes = AttributeSet()
    public var accessGroup: AccessGroup?
    public var isSynchronizable: Bool?
    public var accessibility: Accessibility?
    public var secret: SecretBytes?

    public init() {}
}
