import ChatelaineMemory
import ChatelaineModel

/// Requests about items of file keychains, under the names by which programs know them.
extension KeychainCalling {
    /// The items that a query describes; at least one, or `errSecItemNotFound`.
    package func find(_ query: ItemQuery, in scope: KeychainScope) throws(KeychainError) -> [KeychainItem] {
        try call(FindKeychainItems(query, in: scope))
    }

    /// Stores an item and gives it back with what `item.returns` asks for.
    ///
    /// - Parameter keychain: nil for the default one.
    package func add(_ item: NewItem, to keychain: KeychainPath?) throws(KeychainError) -> KeychainItem {
        try call(AddKeychainItem(item, to: keychain?.text))
    }

    package func update(
        _ query: ItemQuery, _ change: ItemChange, in scope: KeychainScope
    ) throws(KeychainError) { _ = try call(UpdateKeychainItems(query, change, in: scope)) }

    /// - Parameter asksPerson: about items that the program may not read.
    package func delete(
        _ query: ItemQuery, in scope: KeychainScope, asksPerson: Bool
    ) throws(KeychainError) { _ = try call(DeleteKeychainItems(query, in: scope, asksPerson: asksPerson)) }

    /// Who may use an item.
    package func access(
        of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI = .allow
    ) throws(KeychainError) -> AccessObject { try call(ReadItemAccess(item, in: path, ui)) }

    package func setAccess(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI = .allow
    ) throws(KeychainError) { _ = try call(SetItemAccess(access, of: item, in: path, ui)) }
}

extension KeychainClient {
    /// The same with the keychain's password, which lets the partition list be changed as well.
    package func setAccess(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, password: SecretBytes
    ) throws(KeychainError) -> KeychainPasswordReport {
        try present(SetItemAccessWithPassword(access, of: item, in: path), [password])
    }
}
