import ChatelaineMemory

/// An item that is to be stored, as a caller describes it, and what the call returns.
public struct NewItem: Sendable {
    public var itemClass: ItemClass
    /// Attributes besides those that have a property of their own here.
    public var attributes = AttributeSet()
    /// Nil for the caller's own.
    public var accessGroup: AccessGroup?
    public var isSynchronizable = false
    /// Nil for the default.
    public var accessibility: Accessibility?
    /// Nil for an item without data.
    public var secret: SecretBytes?
    public var returns: ReturnTypes = []
    /// Whether the person may be asked; `.skip` is for searches.
    public var authenticationUI = AuthenticationUI.allow

    public init(itemClass: ItemClass) { self.itemClass = itemClass }
}

extension NewItem {
    /// Holds to the rules of a new item what came from a dictionary, or over a socket from somebody who may not have.
    public func validate() throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try attributes.requireRoom(besides: accessGroup?.text.utf8.count ?? 0)
        try secret.requireRoom()
        guard authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
    }
}
