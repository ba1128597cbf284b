import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import CoreFoundation

/// The calls of `SecKey`, for Swift and for C alike.
package enum KeyCalls {
    // MARK: Making and reading

    /// `SecKeyCreateRandomKey`: a private key.
    package static func generate(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> SecKey {
        let parameters = try KeyParameters(pairs)
        guard let bits = parameters.bits else {
            throw KeychainError(.param, "nothing says how large the key is to be: kSecAttrKeySizeInBits does")
        }
        return try SecKey(try CryptographicKey.generate(parameters.kind, bits: bits))
    }

    /// `SecKeyCreateWithData`.
    package static func read(_ data: QueryValue, _ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> SecKey {
        let parameters = try KeyParameters(pairs)
        guard let isPrivate = parameters.isPrivate else {
            throw KeychainError(.param, "nothing says whether the key is private or public: kSecAttrKeyClass does")
        }
        let bytes: SecretBytes
        switch data {
        case .secret(let secret): bytes = secret
        case .data(let data): bytes = SecretBytes(data)
        default: throw KeychainError(.param, "the representation of a key is no data")
        }
        let key = bytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try CryptographicKey(parameters.kind, isPrivate: isPrivate, representation: bytes)
            }
        }
        return try SecKey(try key.get())
    }

    package static func publicKey(of key: SecKey) throws(KeychainError) -> SecKey {
        key.key.isPrivate ? try SecKey(try key.key.publicKey()) : key
    }

    // MARK: Writing

    /// `SecKeyCopyExternalRepresentation`.
    package static func representation(of key: SecKey) throws(KeychainError) -> ResultTree {
        key.key.isPrivate ? .secret(try key.key.privateRepresentation()) : .data(key.publicBytes)
    }

    /// The application label: SHA-1 of the public key, which both keys of a pair have in common (behaviour F.2).
    static func label(of key: SecKey) throws(KeychainError) -> [UInt8] {
        try key.publicBytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
    }

    /// `SecKeyCopyAttributes` (behaviour F.2).
    package static func attributes(of key: SecKey) throws(KeychainError) -> ResultTree {
        let label = try label(of: key)
        let isPrivate = key.key.isPrivate
        let bits = ResultTree.number(Int64(key.key.bits))
        return .dictionary([
            ("kcls", .text(isPrivate ? "1" : "0")), ("type", .text(key.key.kind.typeText)),
            ("bsiz", bits), ("esiz", bits), ("klbl", .data(label)), ("v_Data", try representation(of: key)),
            ("encr", .flag(!isPrivate)), ("vrfy", .flag(!isPrivate)), ("wrap", .flag(!isPrivate)),
            ("decr", .flag(isPrivate)), ("sign", .flag(isPrivate)), ("unwp", .flag(isPrivate)),
            ("drve", .flag(true)), ("snrc", .flag(false)), ("vyrc", .flag(false)), ("perm", .flag(false)),
            ("sens", .flag(false)), ("asen", .flag(false)), ("extr", .flag(true)), ("next", .flag(false)),
            ("modi", .flag(true)), ("priv", .flag(isPrivate)),
        ])
    }

    // MARK: Using

    /// `SecKeyIsAlgorithmSupported`: which operation which half of a pair has with which algorithm.
    package static func supports(_ key: SecKey, _ operation: SecKeyOperationType, _ name: QueryValue) -> Bool {
        guard let algorithm = try? algorithm(name) else { return false }
        let isPrivate = key.key.isPrivate
        return switch operation {
        case .sign: isPrivate && key.key.signs(by: algorithm)
        case .verify: !isPrivate && key.key.signs(by: algorithm)
        case .encrypt: !isPrivate && key.key.encrypts(by: algorithm)
        case .decrypt: isPrivate && key.key.encrypts(by: algorithm)
        case .keyExchange: isPrivate && key.key.agrees(by: algorithm)
        }
    }

    package static func sign(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue
    ) throws(KeychainError) -> ResultTree {
        let algorithm = try requiring(.sign, of: key, name)
        return .data(
            try bytes(data).withUnsafeBytes { data in
                Result { () throws(KeychainError) in try key.key.signature(of: data, by: algorithm) }
            }.get())
    }

    /// - Throws: `errSecVerifyFailed` for another signature.
    package static func verify(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue, _ signature: QueryValue
    ) throws(KeychainError) {
        let algorithm = try requiring(.verify, of: key, name)
        let (data, signature) = (try bytes(data), try bytes(signature))
        try data.withUnsafeBytes { data in
            signature.withUnsafeBytes { signature in
                Result { () throws(KeychainError) in try key.key.verify(signature, of: data, by: algorithm) }
            }
        }.get()
    }

    package static func encrypt(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue
    ) throws(KeychainError) -> ResultTree {
        let algorithm = try requiring(.encrypt, of: key, name)
        return .data(
            try bytes(data).withUnsafeBytes { data in
                Result { () throws(KeychainError) in try key.key.encrypted(data, by: algorithm) }
            }.get())
    }

    package static func decrypt(
        _ key: SecKey, _ name: QueryValue, _ data: QueryValue
    ) throws(KeychainError) -> ResultTree {
        let algorithm = try requiring(.decrypt, of: key, name)
        return .secret(
            try bytes(data).withUnsafeBytes { data in
                Result { () throws(KeychainError) in try key.key.decrypted(data, by: algorithm) }
            }.get())
    }

    /// `SecKeyCopyKeyExchangeResult`.
    package static func agree(
        _ key: SecKey, _ name: QueryValue, _ other: SecKey, _ parameters: [QueryDictionary.Pair]
    ) throws(KeychainError) -> ResultTree {
        let algorithm = try requiring(.keyExchange, of: key, name)
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
        return .secret(try key.key.secret(with: other.key, by: algorithm, size: size, info: info))
    }

    // MARK: Arguments

    private static func algorithm(_ name: QueryValue) throws(KeychainError) -> KeyAlgorithm {
        guard case .text(let name) = name, let algorithm = KeyAlgorithm(name: name) else {
            throw KeychainError(.param, "there is no such algorithm: SecKeyAlgorithm has them")
        }
        return algorithm
    }

    private static func requiring(
        _ operation: SecKeyOperationType, of key: SecKey, _ name: QueryValue
    ) throws(KeychainError) -> KeyAlgorithm {
        let algorithm = try algorithm(name)
        guard supports(key, operation, name) else {
            throw KeychainError(.param, "\(key) does not do that: see SecKeyIsAlgorithmSupported")
        }
        return algorithm
    }

    private static func bytes(_ value: QueryValue) throws(KeychainError) -> [UInt8] {
        guard case .data(let bytes) = value else { throw KeychainError(.param, "an argument is no data") }
        return bytes
    }
}
