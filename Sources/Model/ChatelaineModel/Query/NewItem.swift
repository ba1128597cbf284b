import ChatelaineMemory

/// An item that is to be stored, as a caller describes it, and what the call returns.
package struct NewItem: Sendable {
    package var itemClass: ItemClass
    /// Attributes besides those that have a property of their own here.
    package var attributes = AttributeSet()
    /// Nil for the caller's own.
    package var accessGroup: AccessGroup?
    package var isSynchronizable = false
    /// Nil for the default.
    package var accessibility: Accessibility?
    /// Nil for what its class alone protects; comes with ``accessibility``.
    package var constraints: AccessConstraints?
    /// Who may use it, in a file keychain; nil in the data protection keychain.
    package var access: AccessObject?
    /// Nil for an item without data.
    package var secret: SecretBytes?
    package var returns: ReturnTypes = []
    /// Whether the person may be asked; `.skip` is for searches.
    package var authenticationUI = AuthenticationUI.allow
    package var prompt: OperationPrompt?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}

extension NewItem {
    /// Holds to the rules of a new item what came from a dictionary, or over a socket from somebody who may not have.
    package func validate() throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try attributes.requireRoom(besides: accessGroup?.text.utf8.count ?? 0)
        try secret.requireRoom()
        try AccessControl.validate(constraints, with: accessibility, isSynchronizable: isSynchronizable)
        guard authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
    }
}
