import ChatelaineCryptography
import ChatelaineModel

/// What a dictionary says of a key that is to be made or read, the part about the private one included.
struct KeyParameters {
    private enum Key {
        static let (type, size, keyClass) = ("type", "bsiz", "kcls")
        static let (permanent, token) = ("perm", "tkid")
        static let (privatePart, publicPart) = ("private", "public")
    }

    let kind: KeyKind
    /// Nil where nothing says it; keys of Ed25519 and X25519 have one size.
    let bits: Int?
    /// Nil where nothing says it.
    let isPrivate: Bool?
    /// What the private key is to be as an item; nil where it is none.
    let privateItem: NewItem?
    /// The same of the public key.
    let publicItem: NewItem?
    /// What a private key of the enclave would be as an item that is none: its program keeps it.
    let detachedItem: NewItem?
    /// In which keychain those are to be that are items.
    let place: Place

    enum Place: Equatable {
        case dataProtection
        /// By its resolved path; nil for the default one.
        case file(String?)
    }

    /// - Throws: `errSecParam` for a kind that keys here do not have, for values that mean nothing, for halves that are to be in two keychains, and
    ///   for keys of the enclave in a file keychain;
    ///   `errSecUnimplemented` for keys that are to be kept on another token than the enclave.
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
        // Items of files have no class and no access control, so that what was said of these would be lost.
        guard detachedItem == nil || place == .dataProtection else {
            throw KeychainError(.param, "a key of the enclave is in no file keychain, whoever keeps it")
        }
    }

    /// What one of the keys is to be as an item: the whole dictionary, and over it the part about that key.
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
        // The public half of a key on a token is not there, and an item only where its own part says so.
        if half == .publicKey, token != nil { merged[Key.token] = nil }
        let isOnToken = try isOnToken(merged[Key.token])
        let isPermanent = try merged[Key.permanent].map { (value) throws(KeychainError) in
            guard let flag = value.boolean else {
                throw KeychainError(.param, "the value of kSecAttrIsPermanent must be a boolean")
            }
            return flag
        }
        // Of a token's keys the private one is an item unless it is said not to be.
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
        // Whoever has it may use it: an access control says who may calculate with the private one.
        if half == .publicKey { item.constraints = nil }
        item.returns = []
        return (item, place, isItem)
    }

    /// Whether what is read is a key of the enclave that its program has kept.
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

    /// Numbers, and Apple's constants, which are numbers as text.
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
