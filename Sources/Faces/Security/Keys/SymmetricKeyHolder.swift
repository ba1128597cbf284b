import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Whoever has a key of AES: this process, or the keychain, which gives it to those who may read its item.
enum SymmetricKeyHolder: Sendable, Equatable {
    case memory(SymmetricKey)
    /// - Parameter context: that of the query that found it.
    case item(PersistentReference, bits: Int, CallContext?)

    /// Of AES, whatever its key.
    static let blockBytes = 16

    var bits: Int {
        switch self {
        case .memory(let key): key.bits
        case .item(_, let bits, _): bits
        }
    }

    /// Its item; nil of a key in memory.
    var item: PersistentReference? {
        if case .item(let item, _, _) = self { item } else { nil }
    }

    /// Its bytes, for one use.
    ///
    /// - Throws: what reading its item fails with.
    func key() throws(KeychainError) -> SymmetricKey {
        switch self {
        case .memory(let key): return key
        case .item(let item, _, let context):
            var query = ItemQuery(itemClass: .key)
            (query.identifier, query.synchronizable, query.returns) = (item.identifier, .any, .data)
            context?.complete(&query.authenticationUI, &query.prompt)
            let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
            guard let secret = try caller.find(query).first?.secret else {
                throw KeychainError(.itemNotFound, "the item of the key has no bytes any more")
            }
            return try SymmetricKey(secret)
        }
    }

    static func == (one: SymmetricKeyHolder, other: SymmetricKeyHolder) -> Bool {
        switch (one, other) {
        case (.memory(let one), .memory(let other)): one.bytes == other.bytes
        case (.item(let one, _, _), .item(let other, _, _)): one.identifier == other.identifier
        default: false
        }
    }
}
