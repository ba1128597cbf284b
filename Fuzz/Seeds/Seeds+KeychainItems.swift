import ChatelaineModel

@testable import ChatelaineIPC

extension Seeds {
    /// Requests about items of file keychains.
    static var keychainItemRequests: [(String, any RequestMessage)] {
        let number = RequestIdentifier(identifier.value)
        let scope = KeychainScope(paths: ["/k/a-db", "/k/b-db"], items: [keychainItem])
        var item = newItem
        item.access = .default(descriptor: "the item", trusted: [])
        return [
            ("keychain-items-find", FindKeychainItems(query, in: scope)),
            ("keychain-items-add", AddKeychainItem(item, to: "/k/a-db", identifier: number)),
            ("keychain-items-update", UpdateKeychainItems(query, change, in: scope, identifier: number)),
            (
                "keychain-items-delete",
                DeleteKeychainItems(query, in: scope, asksPerson: true, identifier: number)
            ),
            ("keychain-item-access", ReadItemAccess(keychainItem, in: "/k/a-db", .fail)),
            ("keychain-item-set", SetItemAccess(.open, of: keychainItem, in: "/k/a-db", identifier: number)),
            ("keychain-item-password", SetItemAccessWithPassword([ItemAccess(.open, of: keychainItem)], in: "/k/a-db")),
        ]
    }

    static let keychainItem = KeychainItemReference(
        keychain: StoreIdentifier(identifier.value),
        item: PersistentReference(itemClass: .genericPassword, identifier: identifier))
}
