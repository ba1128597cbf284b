import ChatelaineCryptography
import ChatelaineModel

/// What a dictionary says of a key that is to be made or read, the part about the private one included.
struct KeyParameters {
    /// Apple's numbers of kinds and classes, which its constants have as text.
    fileprivate enum Number {
        static let (rsa, ec, ed25519, x25519): (Int64, Int64, Int64, Int64) = (42, 73, 105, 106)
        static let (publicKey, privateKey): (Int64, Int64) = (0, 1)
    }

    private enum Key {
        static let (type, size, keyClass) = ("type", "bsiz", "kcls")
        static let (permanent, token) = ("perm", "tkid")
        static let parts = ["private", "public"]
    }

    let kind: KeyKind
    /// Nil where nothing says it; keys of Ed25519 and X25519 have one size.
    let bits: Int?
    /// Nil where nothing says it.
    let isPrivate: Bool?

    /// - Throws: `errSecParam` for a kind that keys here do not have, and for values that mean nothing; `errSecUnimplemented` for keys that are to be
    ///   kept, which this version does not do.
    init(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) {
        var all = pairs
        for (key, value) in pairs where Key.parts.contains(key) {
            guard case .pairs(let part) = value else {
                throw KeychainError(.param, "kSecPrivateKeyAttrs and kSecPublicKeyAttrs are dictionaries")
            }
            all += part
        }
        func last(_ key: String) -> QueryValue? { pairs.last { $0.key == key }?.value }
        guard
            let type = try last(Key.type).map({ (value) throws(KeychainError) in
                try Self.number(value, "kSecAttrKeyType")
            })
        else { throw KeychainError(.param, "nothing says what kind of key it is: kSecAttrKeyType does") }
        switch type {
        case Number.rsa: kind = .rsa
        case Number.ec: kind = .ec
        case Number.ed25519: kind = .ed25519
        case Number.x25519: kind = .x25519
        default:
            throw KeychainError(
                .param, "no key here is of the kind \(type): RSA, elliptic curves, Ed25519 and X25519 are there")
        }
        let size = try last(Key.size).map { (value) throws(KeychainError) in
            Int(clamping: try Self.number(value, "kSecAttrKeySizeInBits"))
        }
        bits = size ?? (kind == .rsa || kind == .ec ? nil : CryptographicKey.curve25519Bits)
        isPrivate = try last(Key.keyClass).map { (value) throws(KeychainError) in
            switch try Self.number(value, "kSecAttrKeyClass") {
            case Number.publicKey: false
            case Number.privateKey: true
            default: throw KeychainError(.param, "a key of this kind is private or public")
            }
        }
        let isKept = all.contains { pair in
            guard pair.key == Key.permanent else { return false }
            if case .number(0) = pair.value { return false }
            return true
        }
        guard !isKept, !all.contains(where: { $0.key == Key.token }) else {
            throw KeychainError(
                .unimplemented, "this version keeps keys in memory, and neither in a keychain nor in the enclave")
        }
    }

    /// Numbers, and Apple's constants, which are numbers as text.
    private static func number(_ value: QueryValue, _ key: String) throws(KeychainError) -> Int64 {
        switch value {
        case .number(let number): return number
        case .text(let text):
            if let number = Int64(text) { return number }
        default: break
        }
        throw KeychainError(.param, "the value of \(key) is no number and none of Apple's constants")
    }
}

extension KeyKind {
    /// The number of `kSecAttrKeyType`, as text.
    var typeText: String {
        switch self {
        case .rsa: "\(KeyParameters.Number.rsa)"
        case .ec: "\(KeyParameters.Number.ec)"
        case .ed25519: "\(KeyParameters.Number.ed25519)"
        case .x25519: "\(KeyParameters.Number.x25519)"
        }
    }
}
