import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Whoever has a key of AES: this process, or the keychain, which gives it to those who may read its item.
enum SymmetricKeyHolder: Sendable, Equatable {
    case memory(SymmetricKey)
    case item(SymmetricKeyReference)

    /// Of AES, whatever its key.
    static let blockBytes = 16

    var bits: Int {
        switch self {
        case .memory(let key): key.bits
        case .item(let reference): reference.bits
        }
    }

    /// Its item in the data protection keychain; nil of every other key.
    var item: PersistentReference? {
        if case .item(let reference) = self, case .dataProtection(let item) = reference.place { item } else { nil }
    }

    /// Its item in a file keychain; nil of every other key.
    var keychainItem: KeychainItemHandle? {
        if case .item(let reference) = self, case .file(let handle) = reference.place { handle } else { nil }
    }

    /// Its bytes, for one use.
    ///
    /// - Throws: what reading its item fails with.
    func key() throws(KeychainError) -> SymmetricKey {
        switch self {
        case .memory(let key): return key
        case .item(let reference):
            guard let secret = try Self.secret(of: reference) else {
                throw KeychainError(.itemNotFound, "the item of the key has no bytes any more")
            }
            return try SymmetricKey(secret)
        }
    }

    private static func secret(of reference: SymmetricKeyReference) throws(KeychainError) -> SecretBytes? {
        let context = reference.context as? CallContext
        switch reference.place {
        case .dataProtection(let item):
            var query = ItemQuery(itemClass: .key)
            (query.identifier, query.synchronizable, query.returns) = (item.identifier, .any, .data)
            context?.complete(&query.authenticationUI, &query.prompt)
            return try (context?.caller ?? KeychainClient.shared).find(query).first?.secret
        case .file(let handle):
            var query = KeychainItemCalls.query(handle)
            query.returns = .data
            context?.complete(&query.authenticationUI, &query.prompt)
            return try KeychainClient.shared.find(query, in: KeychainItemCalls.scope(of: handle)).first?.item.secret
        }
    }

    static func == (one: SymmetricKeyHolder, other: SymmetricKeyHolder) -> Bool {
        switch (one, other) {
        case (.memory(let one), .memory(let other)): one.bytes == other.bytes
        case (.item, .item):
            one.item?.identifier == other.item?.identifier
                && one.keychainItem?.reference == other.keychainItem?.reference
        default: false
        }
    }
}
