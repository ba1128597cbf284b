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
    /// - Parameter keychain: nil for the default keychain.
    package func add(_ item: NewItem, to keychain: KeychainPath?) throws(KeychainError) -> KeychainItem {
        try call(AddKeychainItem(item, to: keychain?.text))
    }

    /// Has a private key made and stored, and returns its item.
    ///
    /// - Parameter path: the path of the keychain; nil for the default keychain.
    package func makeKey(_ pair: NewKeyPair, in path: String?) throws(KeychainError) -> KeychainItem {
        try call(MakeKeychainKey(pair, in: path))
    }

    /// Has a private key used, and returns the result.
    package func useKey(_ use: KeyUsage, in scope: KeychainScope) throws(KeychainError) -> SecretBytes {
        try call(UseKeychainKey(use, in: scope)).bytes
    }

    package func update(
        _ query: ItemQuery, _ change: ItemChange, in scope: KeychainScope
    ) throws(KeychainError) { _ = try call(UpdateKeychainItems(query, change, in: scope)) }

    /// - Parameter asksPerson: whether a person is asked about items that the program may not read.
    package func delete(
        _ query: ItemQuery, in scope: KeychainScope, asksPerson: Bool
    ) throws(KeychainError) { _ = try call(DeleteKeychainItems(query, in: scope, asksPerson: asksPerson)) }

    /// The access object of an item, which says who may use it.
    package func access(
        of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI = .allow
    ) throws(KeychainError) -> AccessObject { try call(ReadItemAccess(item, in: path, ui)) }

    package func setAccess(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI = .allow
    ) throws(KeychainError) { _ = try call(SetItemAccess(access, of: item, in: path, ui)) }
}

extension KeychainClient {
    /// The bytes of access objects in one request: room for hundreds of ordinary ones, without a large request.
    private static let changeBytes = 1024 * 1024

    /// Changes access objects with the keychain's password, which lets the partition list be changed as well.
    ///
    /// One request changes items of one class, up to ``ItemAccess/limit`` of them. Further items are sent in further
    /// requests, which end after one that did not succeed.
    package func setAccess(
        _ changes: [ItemAccess], in path: String, password: SecretBytes
    ) throws(KeychainError) -> KeychainPasswordReport {
        var report = KeychainPasswordReport()
        for request in Self.requests(changes) {
            report = try present(SetItemAccessWithPassword(request, in: path), [password])
            guard report.outcome == .done else { break }
        }
        return report
    }

    private static func requests(_ changes: [ItemAccess]) -> [[ItemAccess]] {
        var requests: [[ItemAccess]] = []
        var bytes = 0
        for change in changes {
            let size = change.access.encoding.count
            if let last = requests.last?.last, last.item.item.itemClass == change.item.item.itemClass,
                requests[requests.count - 1].count < ItemAccess.limit, bytes + size <= changeBytes
            {
                requests[requests.count - 1].append(change)
                bytes += size
            } else {
                requests.append([change])
                bytes = size
            }
        }
        return requests
    }
}
