import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The calls about symmetric keys: making, reading, deriving and wrapping (behaviour/symmetric-keys.md).
extension KeyCalls {
    private enum Key {
        static let (type, size, permanent, label) = ("type", "bsiz", "perm", "klbl")
        static let extractable = "extr"
        static let (prf, salt, rounds) = ("prf", "salt", "rounds")
    }

    private static let digests: [String: KeyDigest] = [
        "hsha1": .sha1, "hsha224": .sha224, "hsha256": .sha256, "hsha384": .sha384, "hsha512": .sha512,
    ]

    /// `SecKeyGenerateSymmetric`.
    package static func generateSymmetric(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> SecKey {
        let bits = try requiredSize(pairs)
        guard try isKeptInside(pairs) else { return try kept(try SymmetricKey.generate(bits: bits), pairs) }
        return try made(bits, pairs)
    }

    /// `SecKeyCreateFromData`.
    package static func readSymmetric(
        _ data: QueryValue, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        let size = try size(pairs)
        let key: SymmetricKey
        switch data {
        case .secret(let secret): key = try SymmetricKey(secret)
        case .data(let data): key = try SymmetricKey(SecretBytes(data))
        default: throw KeychainError(.param, "the bytes of a key are no data")
        }
        try require(key, size)
        return try kept(key, pairs)
    }

    /// `SecKeyDeriveFromPassword`, by PBKDF2.
    package static func deriveSymmetric(
        _ password: QueryValue, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        let bits = try requiredSize(pairs)
        guard case .data(let salt)? = pairs.last(where: { $0.key == Key.salt })?.value else {
            throw KeychainError(.param, "a key is derived from a password and a salt: kSecAttrSalt is data")
        }
        guard let given = pairs.last(where: { $0.key == Key.rounds })?.value else {
            throw KeychainError(.param, "nothing says in how many rounds the key is derived: kSecAttrRounds does")
        }
        let rounds = Int(clamping: try KeyParameters.number(given, "kSecAttrRounds"))
        var digest = KeyDigest.sha256
        if let named = pairs.last(where: { $0.key == Key.prf })?.value {
            guard case .text(let name) = named, let known = digests[name] else {
                throw KeychainError(.param, "the value of kSecAttrPRF is none of Apple's constants")
            }
            digest = known
        }
        let secret = try ImportExportCalls.passphrase(password)
        let key = try SymmetricKey.derived(from: secret, salt: salt, rounds: rounds, digest, bits: bits)
        return try kept(key, pairs)
    }

    /// `SecKeyWrapSymmetric`: by AES key wrap.
    package static func wrap(_ key: SecKey, by wrapping: SecKey) throws(KeychainError) -> ResultTree {
        let (inner, outer) = (try symmetric(key), try symmetric(wrapping))
        return .data(try outer.wrapped(try inner.key()))
    }

    /// `SecKeyUnwrapSymmetric`.
    package static func unwrap(
        _ wrapped: QueryValue, by unwrapping: SecKey, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        guard case .data(let bytes) = wrapped else { throw KeychainError(.param, "what is to be unwrapped is no data") }
        let outer = try symmetric(unwrapping)
        if pairs.contains(where: { $0.key == Key.type }) { try requireAES(pairs) }
        let size = try givenSize(pairs)
        _ = try isKeptInside(pairs)
        let key = try outer.unwrapped(bytes)
        try require(key, size)
        return try kept(key, pairs)
    }

    private static func symmetric(_ key: SecKey) throws(KeychainError) -> SymmetricKeyHolder {
        guard let holder = key.symmetricKey else {
            throw KeychainError(.param, "\(key) is not symmetric: keys of AES wrap and are wrapped here")
        }
        return holder
    }

    /// Returns the key in memory, or stores it as an item where the parameters say so.
    private static func kept(
        _ key: SymmetricKey, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        _ = try isKeptInside(pairs)
        guard try flag(Key.permanent, "kSecAttrIsPermanent", pairs) == true else { return SecKey(.memory(key)) }
        let all = itemPairs(pairs) + [("v_Data", .secret(key.bytes))]
        let context = CallContext.of(all)
        let (place, added, kept): (SymmetricKeyReference.Place, FoundItem, CallContext?)
        switch try QueryTarget(of: all) {
        case .dataProtection:
            var item = try QueryParser.newItem(all)
            item.returns = .attributes
            kept = CallContext.kept(by: context, item.authenticationUI, item.prompt)
            context?.complete(&item.authenticationUI, &item.prompt)
            let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
            added = try caller.add(item)
            place = .dataProtection(added.persistentReference)
        case .files:
            var (terms, item) = try FileKeychainTerms.newItem(all)
            item.returns = .attributes
            kept = CallContext.kept(by: context, item.authenticationUI, item.prompt)
            try FileItemCalls.complete(context, &item.authenticationUI, &item.prompt)
            let found = try KeychainClient.shared.call(AddKeychainItem(item, to: terms.keychain))
            (place, added) = (.file(found.handle), found.item)
        }
        return SecKey(
            SymmetricKeyReference(place, bits: key.bits, isKeptInside: added.key != nil, context: kept))
    }

    /// Has the daemons make a key that never leaves them.
    private static func made(_ bits: Int, _ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> SecKey {
        let all = itemPairs(pairs)
        var (item, place): (NewItem, KeyParameters.Place)
        switch try QueryTarget(of: all) {
        case .dataProtection: (item, place) = (try QueryParser.newItem(all), .dataProtection)
        case .files:
            let (terms, own) = try FileKeychainTerms.newItem(all)
            (item, place) = (own, .file(terms.keychain))
        }
        guard item.secret == nil else {
            throw KeychainError(.param, "a key that is made has no bytes yet: kSecValueData is not for it")
        }
        item.keepSymmetricKeyInside()
        item.returns = []
        let pair = NewKeyPair(kind: .aes, bits: UInt32(clamping: bits), privateKey: item)
        return try make(pair, in: place, CallContext.of(all))
    }

    /// The description of a key's item; the caller's attributes, and what makes them those of an AES key.
    private static func itemPairs(_ pairs: [QueryDictionary.Pair]) -> [QueryDictionary.Pair] {
        let derivation = [Key.prf, Key.salt, Key.rounds]
        var all = pairs.filter { !derivation.contains($0.key) }
        all += [
            ("class", .text(ItemClass.key.name)), ("kcls", .number(KeyHalf.symmetric.rawValue)),
            (Key.type, .number(KeyAttributes.aesType)),
        ]
        if !pairs.contains(where: { $0.key == Key.label }) { all.append((Key.label, randomLabel)) }
        return all
    }

    /// A random label, independent of the key; without a label, two keys of the same name and size would be one item.
    static var randomLabel: QueryValue { .data(ItemIdentifier().bytes) }

    /// Whether the key is to be used inside the daemons only.
    ///
    /// - Throws: `errSecParam` for such a key in memory, where its bytes would be in this program.
    private static func isKeptInside(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> Bool {
        guard try flag(Key.extractable, "kSecAttrIsExtractable", pairs) == false else { return false }
        guard try flag(Key.permanent, "kSecAttrIsPermanent", pairs) == true else {
            throw KeychainError(
                .param,
                "the bytes of a key in memory are in the program: with kSecAttrIsExtractable false, kSecAttrIsPermanent is true"
            )
        }
        return true
    }

    private static func flag(
        _ key: String, _ name: String, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> Bool? {
        try KeyParameters.flag(pairs.last { $0.key == key }?.value, name)
    }

    // MARK: Parameters

    private static func requireAES(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) {
        guard let type = pairs.last(where: { $0.key == Key.type })?.value,
            try KeyParameters.number(type, "kSecAttrKeyType") == KeyAttributes.aesType
        else { throw KeychainError(.param, "symmetric keys are of AES here: kSecAttrKeyType says so") }
    }

    /// - Throws: `errSecParam` for another kind of key than AES.
    private static func size(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> Int? {
        try requireAES(pairs)
        return try givenSize(pairs)
    }

    private static func givenSize(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> Int? {
        try pairs.last { $0.key == Key.size }.map { (pair) throws(KeychainError) in
            Int(clamping: try KeyParameters.number(pair.value, "kSecAttrKeySizeInBits"))
        }
    }

    /// - Throws: `errSecParam` where the key has another size than its parameters say.
    private static func require(_ key: SymmetricKey, _ size: Int?) throws(KeychainError) {
        guard size == nil || size == key.bits else {
            throw KeychainError(.param, "a key of \(key.bits) bits was given, and kSecAttrKeySizeInBits says otherwise")
        }
    }

    private static func requiredSize(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> Int {
        guard let size = try size(pairs) else {
            throw KeychainError(.param, "nothing says how large the key is to be: kSecAttrKeySizeInBits does")
        }
        return size
    }
}
