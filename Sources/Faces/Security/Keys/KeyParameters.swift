import ChatelaineCryptography
import ChatelaineModel

/// The parameters of a key that is to be made or read, including the dictionary for the private key.
struct KeyParameters {
    private enum Key {
        static let (type, size, effectiveSize, keyClass) = ("type", "bsiz", "esiz", "kcls")
        static let (permanent, extractable, token) = ("perm", "extr", "tkid")
        static let (privatePart, publicPart) = ("private", "public")
    }

    let kind: KeyKind
    /// The size, nil where the dictionary does not give it; Ed25519 and X25519 keys have one size.
    let bits: Int?
    /// Whether the key is private; nil where the dictionary does not say.
    let isPrivate: Bool?
    /// Whether a private key in memory gives its bytes to the program.
    let isExtractable: Bool
    /// The item for the private key; nil where the key is not to be an item.
    let privateItem: NewItem?
    /// The item for the public key; nil where the key is not to be an item.
    let publicItem: NewItem?
    /// The attributes of a detached key: a private key of the enclave that the program keeps instead of an item.
    let detachedItem: NewItem?
    /// The keychain for the keys that become items.
    let place: Place
    /// The authentication context, which may be in the dictionary for the private key.
    let context: CallContext?

    enum Place: Equatable {
        case dataProtection
        /// A file keychain by its resolved path; nil means the default keychain.
        case file(String?)
    }

    /// - Throws: `errSecParam` for an unsupported kind, for meaningless values, for halves in two different
    ///   keychains, and for keys of the enclave in a file keychain. `errSecUnimplemented` for keys on another token
    ///   than the enclave.
    init(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) {
        let own = try Self.merged(pairs, Key.privatePart)
        context = CallContext.of(own.map { (key: $0.key, value: $0.value) })
        guard
            let type = try own[Key.type].map({ (value) throws(KeychainError) in
                try Self.number(value, "kSecAttrKeyType")
            })
        else { throw KeychainError(.param, "nothing says what kind of key it is: kSecAttrKeyType does") }
        guard let known = KeyKind(appleType: type) else {
            throw KeychainError(
                .param, "no key here is of the kind \(type): RSA, elliptic curves, Ed25519 and X25519 are there")
        }
        kind = known
        let size = try own[Key.size].map { (value) throws(KeychainError) in
            Int(clamping: try Self.number(value, "kSecAttrKeySizeInBits"))
        }
        bits = size ?? (kind == .rsa || kind == .ec ? nil : CryptographicKey.curve25519Bits)
        isExtractable = try Self.flag(own[Key.extractable], "kSecAttrIsExtractable") ?? true
        isPrivate = try pairs.last { $0.key == Key.keyClass }.map { (pair) throws(KeychainError) in
            switch KeyHalf(rawValue: try Self.number(pair.value, "kSecAttrKeyClass")) {
            case .publicKey: false
            case .privateKey: true
            default: throw KeychainError(.param, "a key of this kind is private or public")
            }
        }
        let privateHalf = try Self.item(.privateKey, kind, own)
        let publicHalf = try Self.item(.publicKey, kind, try Self.merged(pairs, Key.publicPart))
        privateItem = privateHalf.flatMap { $0.isPermanent ? $0.item : nil }
        detachedItem = privateHalf.flatMap { $0.isPermanent ? nil : $0.item }
        publicItem = publicHalf.flatMap { $0.isPermanent ? $0.item : nil }
        place = privateHalf?.place ?? publicHalf?.place ?? .dataProtection
        guard publicHalf.map({ $0.place == place }) ?? true else {
            throw KeychainError(.param, "the halves of a pair are stored in one keychain")
        }
        // Items in file keychains have no protection class and no access control, so those of the key would be lost.
        guard detachedItem == nil || place == .dataProtection else {
            throw KeychainError(.param, "a key of the enclave is in no file keychain, whoever keeps it")
        }
    }

    /// The parameters of one of the keys: the whole dictionary, overridden by the dictionary for that key.
    private static func merged(
        _ pairs: [QueryDictionary.Pair], _ name: String
    ) throws(KeychainError) -> [String: QueryValue] {
        var merged: [String: QueryValue] = [:]
        for (key, value) in pairs where key != Key.privatePart && key != Key.publicPart { merged[key] = value }
        for (key, value) in pairs where key == name {
            guard case .pairs(let part) = value else {
                throw KeychainError(.param, "kSecPrivateKeyAttrs and kSecPublicKeyAttrs are dictionaries")
            }
            for (key, value) in part { merged[key] = value }
        }
        return merged
    }

    /// The item for one of the keys; nil where the key is not to be an item, and on no token.
    private static func item(
        _ half: KeyHalf, _ kind: KeyKind, _ parameters: [String: QueryValue]
    ) throws(KeychainError) -> (item: NewItem, place: Place, isPermanent: Bool)? {
        var merged = parameters
        let isOnToken = try isOnToken(merged[Key.token]) && half == .privateKey
        // The public half of a key on a token is not on the token.
        if half == .publicKey { merged[Key.token] = nil }
        _ = try flag(merged[Key.extractable], "kSecAttrIsExtractable")
        // The private key of a token is an item by default.
        let isItem = try flag(merged[Key.permanent], "kSecAttrIsPermanent") ?? isOnToken
        guard isItem || isOnToken else { return nil }
        merged["class"] = .text(ItemClass.key.name)
        merged[Key.keyClass] = .number(half.rawValue)
        // The key that is made says these. A part about one key may name another kind or size.
        for key in [Key.type, Key.size, Key.effectiveSize] { merged[key] = nil }
        let all = merged.map { (key: $0.key, value: $0.value) }
        var (item, place): (NewItem, Place)
        switch try QueryTarget(of: all) {
        case .dataProtection: (item, place) = (try QueryParser.newItem(all), .dataProtection)
        case .files:
            let (terms, own) = try FileKeychainTerms.newItem(all)
            (item, place) = (own, .file(terms.keychain))
        }
        item.keyKind = kind
        // Anyone may use a public key; an access control only limits the use of the private key.
        if half == .publicKey { item.constraints = nil }
        item.returns = []
        return (item, place, isItem)
    }

    /// Whether the dictionary names a key of the enclave.
    static func isOnToken(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> Bool {
        try isOnToken(pairs.last { $0.key == Key.token }?.value)
    }

    private static func isOnToken(_ token: QueryValue?) throws(KeychainError) -> Bool {
        guard let token else { return false }
        guard case .text(NewItem.enclaveToken) = token else {
            throw KeychainError(.unimplemented, "there is no token but kSecAttrTokenIDSecureEnclave")
        }
        return true
    }

    /// Reads a boolean; nil for none.
    ///
    /// - Throws: `errSecParam` for anything else, so that text like "false" never counts as true.
    static func flag(_ value: QueryValue?, _ key: String) throws(KeychainError) -> Bool? {
        try value.map { (value) throws(KeychainError) in try value.boolean(of: key) }
    }

    /// Reads a number, or one of Apple's constants, which are numbers as text.
    static func number(_ value: QueryValue, _ key: String) throws(KeychainError) -> Int64 {
        switch value {
        case .number(let number): return number
        case .text(let text):
            if let number = Int64(text) { return number }
        default: break
        }
        throw KeychainError(.param, "the value of \(key) is no number and none of Apple's constants")
    }
}
