import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import CoreFoundation

/// The `SecKey` calls, for Swift and for C alike.
package enum KeyCalls {
    // MARK: Making and reading

    /// `SecKeyCreateRandomKey`: makes a private key, in memory or in the keychain.
    package static func generate(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> SecKey {
        let parameters = try KeyParameters(pairs)
        guard let bits = parameters.bits else {
            throw KeychainError(.param, "nothing says how large the key is to be: kSecAttrKeySizeInBits does")
        }
        if let privateKey = parameters.privateItem {
            let pair = NewKeyPair(
                kind: parameters.kind, bits: UInt32(clamping: bits), privateKey: privateKey,
                publicKey: parameters.publicItem)
            return try make(pair, in: parameters.place, parameters.context)
        }
        if let item = parameters.detachedItem { return try makeDetached(item, parameters) }
        let key = try SecKey(
            try CryptographicKey.generate(parameters.kind, bits: bits), isExportable: parameters.isExtractable)
        if let publicKey = parameters.publicItem { try store(publicKey, of: key, parameters) }
        return key
    }

    static func store(
        _ publicKey: NewItem, of key: SecKey, _ parameters: KeyParameters
    ) throws(KeychainError) {
        var publicKey = publicKey
        publicKey.secret = SecretBytes(key.publicBytes)
        try publicKey.completePublicKey()
        switch parameters.place {
        case .dataProtection: _ = try KeychainClient.shared.add(publicKey)
        case .file(let path):
            try FileItemCalls.complete(parameters.context, &publicKey.authenticationUI, &publicKey.prompt)
            _ = try KeychainClient.shared.call(AddKeychainItem(publicKey, to: path))
        }
    }

    static func make(
        _ pair: NewKeyPair, in place: KeyParameters.Place, _ context: CallContext?
    ) throws(KeychainError) -> SecKey {
        var pair = pair
        let kept = CallContext.kept(by: context, pair.privateKey.authenticationUI, pair.privateKey.prompt)
        if case .file(let path) = place {
            try FileItemCalls.complete(context, &pair.privateKey.authenticationUI, &pair.privateKey.prompt)
            let made = try KeychainClient.shared.makeKey(pair, in: path)
            guard let key = made.item.key, key.custody != nil else { throw confused }
            guard key.kind != .aes else { return symmetricKey(at: .file(made.handle), pair, kept) }
            return SecKey(KeyReference(made.handle, key, context: kept))
        }
        context?.complete(&pair.privateKey.authenticationUI, &pair.privateKey.prompt)
        let made = try (context?.caller ?? KeychainClient.shared).makeKey(pair)
        guard let key = made.key, key.custody != nil else { throw confused }
        guard key.kind != .aes else {
            return symmetricKey(at: .dataProtection(made.persistentReference), pair, kept)
        }
        return SecKey(KeyReference(made.persistentReference, key, context: kept))
    }

    private static func symmetricKey(
        at place: SymmetricKeyReference.Place, _ made: NewKeyPair, _ context: CallContext?
    ) -> SecKey {
        SecKey(SymmetricKeyReference(place, bits: Int(made.bits), isKeptInside: true, context: context))
    }

    private static var confused: KeychainError {
        KeychainError(.internalComponent, "the keychain made a key and does not say which")
    }

    /// `SecKeyCreateWithData`.
    package static func read(_ data: QueryValue, _ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> SecKey {
        let bytes: SecretBytes
        switch data {
        case .secret(let secret): bytes = secret
        case .data(let data): bytes = SecretBytes(data)
        default: throw KeychainError(.param, "the representation of a key is no data")
        }
        if try KeyParameters.isOnToken(pairs) { return try readDetached(bytes, pairs) }
        let parameters = try KeyParameters(pairs)
        guard let isPrivate = parameters.isPrivate else {
            throw KeychainError(.param, "nothing says whether the key is private or public: kSecAttrKeyClass does")
        }
        let key = bytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try CryptographicKey(parameters.kind, isPrivate: isPrivate, representation: bytes)
            }
        }
        return try SecKey(try key.get(), isExportable: parameters.isExtractable)
    }

    package static func publicKey(of key: SecKey) throws(KeychainError) -> SecKey {
        // A public key is returned as it is, without libcrypto.
        guard key.isPrivate || key.kind == nil else { return key }
        return try SecKey(try key.publicHalf().publicKey())
    }

    // MARK: Writing

    /// `SecKeyCopyExternalRepresentation`.
    package static func representation(of key: SecKey) throws(KeychainError) -> ResultTree {
        if key.symmetricKey != nil { return .secret(try key.ownRepresentation()) }
        guard let privateKey = key.privateKey else {
            // A key whose making failed throws here.
            if key.kind == nil { _ = try key.publicHalf() }
            return .data(key.publicBytes)
        }
        return .secret(try privateKey.representation())
    }

    /// `SecKeyCopyAttributes` (behaviour/keys-in-memory.md, 4).
    ///
    /// The result for a key in the keychain includes the attributes of its item, but not the key's bytes.
    package static func attributes(of key: SecKey) throws(KeychainError) -> ResultTree {
        let own = try key.ownAttributes()
        let bits = ResultTree.number(Int64(own.bits))
        var pairs: [(key: String, value: ResultTree)] = [
            ("kcls", .text("\(own.half.rawValue)")), ("type", .text("\(own.type)")),
            ("bsiz", bits), ("esiz", bits), ("perm", .flag(key.isItem)),
        ]
        if !own.label.isEmpty { pairs.append(("klbl", .data(own.label))) }
        let stored = try storedItem(of: key)
        for (name, isSet) in own.flags {
            pairs.append((name.name, .flag(stored?.attributes[name].map { $0 != .number(0) } ?? isSet)))
        }
        if let bytes = key.detachedBytes {
            pairs += [("tkid", .text(NewItem.enclaveToken)), ("toid", .data(bytes))]
        } else if !key.isItem, key.privateKey?.isExportable ?? true {
            pairs.append(("v_Data", try representation(of: key)))
        }
        let names = Set(pairs.map(\.key))
        for entry in stored?.attributes.entries ?? [] where !names.contains(entry.key.name) {
            pairs.append((entry.key.name, ResultTree(entry.value)))
        }
        // A key in a file keychain has neither; programs look here for whether a person is asked.
        if let stored, key.item != nil { pairs += ResultTree.protection(of: stored) }
        return .dictionary(pairs)
    }

    /// The key's item, with its attributes.
    ///
    /// The result is nil for a key in memory, for a deleted item or keychain, and for an item in a locked keychain. The
    /// key's own attributes are known nevertheless.
    private static func storedItem(of key: SecKey) throws(KeychainError) -> FoundItem? {
        if let handle = key.keychainItem {
            var query = KeychainItemCalls.query(handle)
            query.returns = .attributes
            return try ifThere { () throws(KeychainError) in
                try KeychainClient.shared.find(query, in: KeychainItemCalls.scope(of: handle)).first?.item
            }
        }
        guard let item = key.item else { return nil }
        var query = ItemQuery(itemClass: .key)
        query.identifier = item.identifier
        query.synchronizable = .any
        query.returns = .attributes
        return try ifThere { () throws(KeychainError) in try KeychainClient.shared.find(query).first }
    }

    private static func ifThere(
        _ find: () throws(KeychainError) -> FoundItem?
    ) throws(KeychainError) -> FoundItem? {
        do throws(KeychainError) { return try find() } catch {
            switch error.status {
            case .itemNotFound, .noSuchKeychain, .interactionNotAllowed: return nil
            default: throw error
            }
        }
    }

    // MARK: Using

    /// `SecKeyIsAlgorithmSupported`: whether this half of a pair supports the operation with the algorithm.
    package static func supports(_ key: SecKey, _ operation: SecKeyOperationType, _ name: QueryValue) -> Bool {
        guard let algorithm = try? algorithm(name).algorithm, let half = try? key.publicHalf() else { return false }
        return supports(key, half, operation, algorithm)
    }

    private static func supports(
        _ key: SecKey, _ half: CryptographicKey, _ operation: SecKeyOperationType, _ algorithm: KeyAlgorithm
    ) -> Bool {
        switch operation {
        case .sign: key.isPrivate && half.signs(by: algorithm)
        case .verify: !key.isPrivate && half.signs(by: algorithm)
        case .encrypt: !key.isPrivate && half.encrypts(by: algorithm)
        case .decrypt: key.isPrivate && half.encrypts(by: algorithm)
        case .keyExchange: key.isPrivate && half.agrees(by: algorithm)
        }
    }

    package static func sign(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue
    ) throws(KeychainError) -> ResultTree {
        let (algorithm, half, holder) = try requiringPrivate(.sign, of: key, name)
        return .data(try holder.signature(of: try bytes(data), by: algorithm, half))
    }

    /// - Throws: `errSecVerifyFailed` where the signature does not match.
    package static func verify(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue, _ signature: QueryValue
    ) throws(KeychainError) {
        let (algorithm, half) = try requiring(.verify, of: key, name)
        let (data, signature) = (try bytes(data), try bytes(signature))
        try data.withUnsafeBytes { data in
            signature.withUnsafeBytes { signature in
                Result { () throws(KeychainError) in
                    try half.verify(signature, of: data, by: algorithm.algorithm)
                }
            }
        }.get()
    }

    package static func encrypt(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue
    ) throws(KeychainError) -> ResultTree {
        let (algorithm, half) = try requiring(.encrypt, of: key, name)
        return .data(
            try bytes(data).withUnsafeBytes { data in
                Result { () throws(KeychainError) in try half.encrypted(data, by: algorithm.algorithm) }
            }.get())
    }

    package static func decrypt(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue
    ) throws(KeychainError) -> ResultTree {
        let (algorithm, half, holder) = try requiringPrivate(.decrypt, of: key, name)
        return .secret(try holder.decrypted(try bytes(data), by: algorithm, half))
    }

    /// `SecKeyCopyKeyExchangeResult`.
    package static func agree(
        _ key: SecKey, _ name: QueryValue, _ other: SecKey, _ parameters: [QueryDictionary.Pair]
    ) throws(KeychainError) -> ResultTree {
        let (algorithm, _, holder) = try requiringPrivate(.keyExchange, of: key, name)
        var (size, info) = (0, [UInt8]())
        for (key, value) in parameters {
            switch (key, value) {
            case ("requestedSize", .number(let number)): size = Int(clamping: number)
            case ("sharedInfo", .data(let data)): info = data
            case ("requestedSize", _), ("sharedInfo", _):
                throw KeychainError(.param, "the size asked for is no number, or what goes into the bytes no data")
            default: continue
            }
        }
        return .secret(try holder.secret(with: try other.publicHalf(), by: algorithm, size: size, info: info))
    }

    // MARK: Arguments

    private static func algorithm(_ name: QueryValue) throws(KeychainError) -> NamedAlgorithm {
        guard case .text(let name) = name, let algorithm = KeyAlgorithm(name: name) else {
            throw KeychainError(.param, "there is no such algorithm: SecKeyAlgorithm has them")
        }
        return NamedAlgorithm(name: name, algorithm: algorithm)
    }

    private static func requiring(
        _ operation: SecKeyOperationType, of key: SecKey, _ name: QueryValue
    ) throws(KeychainError) -> (NamedAlgorithm, CryptographicKey) {
        let algorithm = try algorithm(name)
        let half = try key.publicHalf()
        guard supports(key, half, operation, algorithm.algorithm) else {
            throw KeychainError(.param, "\(key) does not do that: see SecKeyIsAlgorithmSupported")
        }
        return (algorithm, half)
    }

    /// The same checks for operations that need the private key.
    private static func requiringPrivate(
        _ operation: SecKeyOperationType, of key: SecKey, _ name: QueryValue
    ) throws(KeychainError) -> (NamedAlgorithm, CryptographicKey, any PrivateKeyHolder) {
        let (algorithm, half) = try requiring(operation, of: key, name)
        guard let holder = key.privateKey else { throw KeychainError(.param, "\(key) is no private key") }
        return (algorithm, half, holder)
    }

    private static func bytes(_ value: QueryValue) throws(KeychainError) -> [UInt8] {
        guard case .data(let bytes) = value else { throw KeychainError(.param, "an argument is no data") }
        return bytes
    }
}
