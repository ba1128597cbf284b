import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Detached keys: keys of the enclave without an item, which this program keeps, sealed (behaviour/detached-keys.md).
extension KeyCalls {
    /// The only size of the enclave's keys.
    private static let enclaveBits = 256

    private enum Key {
        static let (type, keyClass) = ("type", "kcls")
    }

    /// Makes a key of the enclave without an item; its public key may become an item.
    static func makeDetached(
        _ item: NewItem, _ parameters: KeyParameters
    ) throws(KeychainError) -> SecKey {
        guard parameters.kind == .ec, parameters.bits == enclaveBits else {
            throw KeychainError(.param, "keys of the enclave are on P-256, and are made there")
        }
        var item = item
        let context = parameters.context
        let kept = CallContext.kept(by: context, item.authenticationUI, item.prompt)
        context?.complete(&item.authenticationUI, &item.prompt)
        let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
        let key = SecKey(try caller.makeDetachedKey(item), context: kept)
        if let publicKey = parameters.publicItem { try store(publicKey, of: key, parameters) }
        return key
    }

    /// Makes the object of a detached key from the bytes that a program has kept.
    ///
    /// - Throws: `errSecParam` where the dictionary names another kind or class; it may omit both.
    static func readDetached(
        _ bytes: SecretBytes, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        if let type = pairs.last(where: { $0.key == Key.type })?.value {
            guard KeyKind(appleType: try KeyParameters.number(type, "kSecAttrKeyType")) == .ec else {
                throw KeychainError(.param, "keys of the enclave are on P-256, and kSecAttrKeyType is another kind")
            }
        }
        if let half = pairs.last(where: { $0.key == Key.keyClass })?.value {
            guard KeyHalf(rawValue: try KeyParameters.number(half, "kSecAttrKeyClass")) == .privateKey else {
                throw KeychainError(.param, "what a program keeps of the enclave is a private key")
            }
        }
        let context = CallContext.of(pairs)
        let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
        // The bytes are sealed, so they are no secret.
        return SecKey(try caller.readDetachedKey(bytes.withUnsafeBytes { [UInt8]($0) }), context: context)
    }
}
