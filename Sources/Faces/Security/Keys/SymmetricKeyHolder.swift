import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The holder of an AES key: this process, or the keychain.
///
/// The keychain returns its bytes to callers who may read its item, or uses the key itself.
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

    /// Whether the daemons use the key, and give its bytes to nobody.
    var isKeptInside: Bool { inside != nil }

    /// The way to have the daemons use the key; nil for a key that this process uses by its bytes.
    private var inside: KeyInKeychain? {
        guard case .item(let reference) = self, reference.isKeptInside else { return nil }
        let context = reference.context as? CallContext
        switch reference.place {
        case .dataProtection(let item):
            return KeyInKeychain(place: .dataProtection(item.identifier), custody: .symmetric, context: context)
        case .file(let handle): return KeyInKeychain(place: .file(handle), custody: .symmetric, context: context)
        }
    }

    /// Encrypts another key with this one.
    func wrapped(_ other: SymmetricKey) throws(KeychainError) -> [UInt8] {
        guard let inside else { return try key().wrapped(other) }
        return try inside.perform(.wrap(other.bytes)).withUnsafeBytes { [UInt8]($0) }
    }

    func unwrapped(_ wrapped: [UInt8]) throws(KeychainError) -> SymmetricKey {
        guard let inside else { return try key().unwrapped(wrapped) }
        return try SymmetricKey(try inside.perform(.unwrap(wrapped)))
    }

    /// The key's bytes, for one use.
    ///
    /// - Throws: the error of reading its item; `errSecUnimplemented` for a key that never leaves the keychain.
    func key() throws(KeychainError) -> SymmetricKey {
        switch self {
        case .memory(let key): return key
        case .item(let reference):
            guard !reference.isKeptInside else {
                throw KeychainError(
                    .unimplemented,
                    "the key can be used and neither exported nor wrapped: its bytes never leave the keychain")
            }
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
            try FileItemCalls.complete(context, &query.authenticationUI, &query.prompt)
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
