import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Keys of the enclave that are no items: this program keeps them, sealed (behaviour/detached-keys.md).
extension KeyCalls {
    /// The one size of the enclave's keys.
    private static let enclaveBits = 256

    /// A key of the enclave that is no item; the public one may be one.
    static func makeDetached(
        _ item: NewItem, _ parameters: KeyParameters, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        guard parameters.kind == .ec, parameters.bits == enclaveBits else {
            throw KeychainError(.param, "keys of the enclave are on P-256, and are made there")
        }
        var item = item
        let context = CallContext.of(pairs)
        context?.complete(&item.authenticationUI, &item.prompt)
        let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
        let key = SecKey(try caller.makeDetachedKey(item), context: context)
        if let publicKey = parameters.publicItem { try store(publicKey, of: key, in: parameters.place, pairs) }
        return key
    }

    /// A key of the enclave that a program has kept.
    static func readDetached(
        _ bytes: SecretBytes, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        let context = CallContext.of(pairs)
        let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
        // They are sealed, and no secret.
        return SecKey(try caller.readDetachedKey(bytes.withUnsafeBytes { [UInt8]($0) }), context: context)
    }
}
