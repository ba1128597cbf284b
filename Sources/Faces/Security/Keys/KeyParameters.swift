import ChatelaineCryptography
import ChatelaineModel

/// The parameters of a key that is to be made or read, including the dictionary for the private key.
struct KeyParameters {
    private enum Key {
        static let (type, size, keyClass) = ("type", "bsiz", "kcls")
        static let (permanent, token) = ("perm", "tkid")
        static let (privatePart, publicPart) = ("private", "public")
    }

    let kind: KeyKind
    /// The size, nil where the dictionary does not give it; Ed25519 and X25519 keys have one size.
    let bits: Int?
    /// Whether the key is private; nil where the dictionary does not say.
    let isPrivate: Bool?
    /// The item for the private key; nil where the key is not to be an item.
    let privateItem: NewItem?
    /// The item for the public key; nil where the key is not to be an item.
    let publicItem: NewItem?
    /// The attributes of a detached key: a private key of the enclave that the program keeps instead of an item.
    let detachedItem: NewItem?
    /// The keychain for the keys that become items.
    let place: Place

    enum Place: Equatable {
        case dataProtection
        /// A file keychain by its resolved path; nil means the default keychain.
        case file(String?)
    }

    /// - Throws: `errSecParam` for an unsupported kind, for meaningless values, for halves in two different
    ///   keychains, and for keys of the enclave in a file keychain. `errSecUnimplemented` for keys on another token
    ///   than the enclave.
    init(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) {
        func last(_ key: String) -> QueryValue? { pairs.last { $0.key == key }?.value }
        guard
            let type = try last(Key.type).map({ (value) throws(KeychainError) in
                try Self.number(value, "kSecAttrKeyType")
            })
        else { throw KeychainError(.param, "nothing says what kind of key it is: kSecAttrKeyType does") }
        guard let known = KeyKind(appleType: type) else {
            throw KeychainError(
                .param, "no key here is of the kind \(type): RSA, elliptic curves, Ed25519 and X25519 are there")
        }
        kind = known
        let size = try last(Key.size).map { (value) throws(KeychainError) in
            Int(clamping: try Self.number(value, "kSecAttrKeySizeInBits"))
        }
        bits = size ?? (kind == .rsa || kind == .ec ? nil : CryptographicKey.curve25519Bits)
        isPrivate = try last(Key.keyClass).map { (value) throws(KeychainError) in
            switch KeyHalf(rawValue: try Self.number(value, "kSecAttrKeyClass")) {
            case .publicKey: false
            case .privateKey: true
            default: throw KeychainError(.param, "a key of this kind is private or public")
            }
        }
        let privateHalf = try Self.item(.privateKey, kind, pairs, Key.privatePart)
        let publicHalf = try Self.item(.publicKey, kind, pairs, Key.publicPart)
        privateItem = privateHalf.flatMap { $0.isPermanent ? $0.item : nil }
        detachedItem = privateHalf.flatMap { $0.isPermanent ? nil : $0.item }
        publicItem = publicHalf?.item
        place = privateHalf?.place ?? publicHalf?.place ?? .dataProtection
        guard publicHalf.map({ $0.place == place }) ?? true else {
            throw KeychainError(.param, "the halves of a pair are stored in one keychain")
        }
        // Items in file keychains have no protection class and no access control, so those of the key would be lost.
        guard detachedItem == nil || place == .dataProtection else {
            throw KeychainError(.param, "a key of the enclave is in no file keychain, whoever keeps it")
        }
    }

    /// The item for one of the keys: the whole dictionary, overridden by the dictionary for that key.
    private static func item(
        _ half: KeyHalf, _ kind: KeyKind, _ pairs: [QueryDictionary.Pair], _ name: String
    ) throws(KeychainError) -> (item: NewItem, place: Place, isPermanent: Bool)? {
        var merged: [String: QueryValue] = [:]
        for (key, value) in pairs where key != Key.privatePart && key != Key.publicPart { merged[key] = value }
        let token = merged[Key.token]
        for (key, value) in pairs where key == name {
            guard case .pairs(let part) = value else {
                throw KeychainError(.param, "kSecPrivateKeyAttrs and kSecPublicKeyAttrs are dictionaries")
            }
            for (key, value) in part { merged[key] = value }
        }
        // The public half of a key on a token is not on the token. It becomes an item only where its own dictionary
        // says so.
        if half == .publicKey, token != nil { merged[Key.token] = nil }
        let isOnToken = try isOnToken(merged[Key.token])
        let isPermanent = try merged[Key.permanent].map { (value) throws(KeychainError) in
            guard let flag = value.boolean else {
                throw KeychainError(.param, "the value of kSecAttrIsPermanent must be a boolean")
            }
            return flag
        }
        // The private key of a token is an item by default.
        let isItem = isPermanent ?? isOnToken
        guard isItem || isOnToken else { return nil }
        merged["class"] = .text(ItemClass.key.name)
        merged[Key.keyClass] = .number(half.rawValue)
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
