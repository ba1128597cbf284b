import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The holder of an AES key: this process, or the keychain, which returns it to callers who may read its item.
enum SymmetricKeyHolder: Sendable, Equatable {
    case memory(SymmetricKey)
    case item(SymmetricKeyReference)

    /// The block size of AES, for every key size.
    static let blockBytes = 16

    var bits: Int {
        switch self {
        case .memory(let key): key.bits
        case .item(let reference): reference.bits
        }
    }

    /// The key's item in the data protection keychain; nil for every other key.
    var item: PersistentReference? {
        if case .item(let reference) = self, case .dataProtection(let item) = reference.place { item } else { nil }
    }

    /// The key's item in a file keychain; nil for every other key.
    var keychainItem: KeychainItemHandle? {
        if case .item(let reference) = self, case .file(let handle) = reference.place { handle } else { nil }
    }

    /// The key's bytes, for one use.
    ///
    /// - Throws: the error of reading its item.
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
