import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Keys of the enclave that are no items: this program keeps them, sealed (behaviour/detached-keys.md).
extension KeyCalls {
    /// The one size of the enclave's keys.
    private static let enclaveBits = 256

    private enum Key {
        static let (type, keyClass) = ("type", "kcls")
    }

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
    ///
    /// - Throws: `errSecParam` where the dictionary says that it is of another kind or class; it need say neither.
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
        // They are sealed, and no secret.
        return SecKey(try caller.readDetachedKey(bytes.withUnsafeBytes { [UInt8]($0) }), context: context)
    }
}
