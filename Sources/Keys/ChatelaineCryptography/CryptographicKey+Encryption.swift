import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

/// Encryption (behaviour/keys-in-memory.md, 8 to 12): with RSA itself, and with AES and a key that is sent along.
extension CryptographicKey {
    package func encrypts(by algorithm: KeyAlgorithm) -> Bool {
        switch algorithm {
        case .rsaEncryption(.oaep(let digest)): kind == .rsa && hasRoom(for: digest, message: 0)
        case .rsaEncryption: kind == .rsa
        case .rsaHybrid(let digest): kind == .rsa && hasRoom(for: digest, message: sessionKeyBytes)
        case .ecies: kind == .ec
        case .rsaSignature, .ecSignature, .eddsaSignature, .keyExchange: false
        }
    }

    /// OAEP takes twice the digest and two bytes of the block (RFC 8017, 7.1.1).
    private func hasRoom(for digest: KeyDigest, message: Int) -> Bool {
        blockBytes >= 2 * digest.byteCount + 2 + message
    }

    /// The bytes of the AES key, in Apple's two steps by the strength of this key.
    var sessionKeyBytes: Int { bits >= (kind == .rsa ? 4096 : 257) ? 32 : 16 }

    /// - Throws: `errSecParam` for an algorithm of other keys, and for data that are too long.
    package func encrypted(
        _ data: UnsafeRawBufferPointer, by algorithm: KeyAlgorithm
    ) throws(KeychainError) -> [UInt8] {
        guard encrypts(by: algorithm) else { throw Self.notForThisKey }
        switch algorithm {
        case .rsaEncryption(let padding):
            return try encrypted(padding == .none ? try block(data) : [UInt8](data), padding)
        case .rsaHybrid(let digest): return try hybrid(data, digest)
        case .ecies(let digest, let derivesNonce): return try ecies(data, digest, derivesNonce: derivesNonce)
        case .rsaSignature, .ecSignature, .eddsaSignature, .keyExchange: throw Self.notForThisKey
        }
    }

    /// - Throws: `errSecParam` for an algorithm of other keys, and for a public key; `errSecDecode` for any data that
    ///   were not encrypted for this key. With PKCS#1 v1.5, wrong data give a message too, and no error.
    package func decrypted(
        _ data: UnsafeRawBufferPointer, by algorithm: KeyAlgorithm
    ) throws(KeychainError) -> SecretBytes {
        guard isPrivate, encrypts(by: algorithm) else { throw Self.notForThisKey }
        switch algorithm {
        case .rsaEncryption(let padding): return try decrypted(data, padding)
        case .rsaHybrid(let digest):
            return try openedHybrid(data) { (block) throws(KeychainError) in try decrypted(block, .oaep(digest)) }
        case .ecies(let digest, let derivesNonce):
            return try openedECIES(data, derivesNonce: derivesNonce) { (other, size, info) throws(KeychainError) in
                try secret(with: other, by: .keyExchange(digest), size: size, info: info)
            }
        case .rsaSignature, .ecSignature, .eddsaSignature, .keyExchange: throw Self.notForThisKey
        }
    }

    // MARK: One block of RSA

    private func encrypted(_ plain: [UInt8], _ padding: KeyAlgorithm.EncryptionPadding) throws(KeychainError) -> [UInt8]
    {
        try CryptographyFailure.output(Int(CHATELAINE_BLOCK_BYTES), "encrypting") { result, count in
            chatelaine_key_encrypt(handle, padding.fill, padding.digest, plain, plain.count, result, count)
        }
    }

    private func decrypted(
        _ data: UnsafeRawBufferPointer, _ padding: KeyAlgorithm.EncryptionPadding
    ) throws(KeychainError) -> SecretBytes {
        try CryptographyFailure.secret(Int(CHATELAINE_BLOCK_BYTES), "decrypting") { result, count in
            padding == .pkcs1
                ? chatelaine_key_decrypt_pkcs1(handle, data.bytes, data.count, result, count)
                : chatelaine_key_decrypt(
                    handle, padding.fill, padding.digest, data.bytes, data.count, result, count)
        }
    }

    // MARK: RSA about a key of AES

    /// The RSA block with the AES key, the ciphertext, and its tag.
    ///
    /// The public key is authenticated too.
    private func hybrid(_ data: UnsafeRawBufferPointer, _ digest: KeyDigest) throws(KeychainError) -> [UInt8] {
        let session = try SessionKey.random(sessionKeyBytes)
        let wrapped = try encrypted(session.key.withUnsafeBytes { [UInt8]($0) }, .oaep(digest))
        return try wrapped + session.sealed(data, with: try publicRepresentation())
    }

    /// Opens such a message by means of a closure that has the private key; this key may be the public one.
    ///
    /// - Parameter unwrapping: decrypts one block with OAEP.
    package func openedHybrid(
        _ data: UnsafeRawBufferPointer,
        unwrapping: (_ block: UnsafeRawBufferPointer) throws(KeychainError) -> SecretBytes
    ) throws(KeychainError) -> SecretBytes {
        guard data.count >= blockBytes else { throw SessionKey.tooShort }
        let key = try unwrapping(UnsafeRawBufferPointer(rebasing: data[..<blockBytes]))
        guard key.count == sessionKeyBytes else { throw SessionKey.tooShort }
        let rest = UnsafeRawBufferPointer(rebasing: data[blockBytes...])
        return try SessionKey(key).opened(rest, with: try publicRepresentation())
    }

    // MARK: ECIES

    /// The ephemeral public key, the ciphertext, and its tag.
    ///
    /// The derivation includes the ephemeral public key.
    private func ecies(
        _ data: UnsafeRawBufferPointer, _ digest: KeyDigest, derivesNonce: Bool
    ) throws(KeychainError) -> [UInt8] {
        let made = try CryptographicKey.generate(.ec, bits: bits)
        let point = try made.publicRepresentation()
        let derived = try made.secret(
            with: self, by: .keyExchange(digest), size: derivedBytes(derivesNonce), info: point)
        let session = SessionKey(derived: derived, keyBytes: sessionKeyBytes)
        return try point + session.sealed(data, with: [])
    }

    /// Opens such a message by means of a closure that has the private key; this key may be the public one.
    ///
    /// - Parameter agreeing: derives bytes from the secret shared with a public key.
    package func openedECIES(
        _ data: UnsafeRawBufferPointer, derivesNonce: Bool,
        agreeing: (_ other: CryptographicKey, _ size: Int, _ info: [UInt8]) throws(KeychainError) -> SecretBytes
    ) throws(KeychainError) -> SecretBytes {
        let width = 1 + 2 * blockBytes
        guard data.count >= width else { throw SessionKey.tooShort }
        let point = [UInt8](data[..<width])
        let other: CryptographicKey
        do throws(KeychainError) { other = try CryptographicKey(.ec, publicRepresentation: point) } catch {
            throw error.status == .param ? SessionKey.tooShort : error
        }
        let session = SessionKey(
            derived: try agreeing(other, derivedBytes(derivesNonce), point), keyBytes: sessionKeyBytes)
        return try session.opened(UnsafeRawBufferPointer(rebasing: data[width...]), with: [])
    }

    private func derivedBytes(_ derivesNonce: Bool) -> Int {
        sessionKeyBytes + (derivesNonce ? SessionKey.nonceBytes : 0)
    }
}

extension KeyAlgorithm.EncryptionPadding {
    fileprivate var fill: Int32 {
        switch self {
        case .none: Int32(CHATELAINE_FILL_NONE)
        case .pkcs1: Int32(CHATELAINE_FILL_PKCS1)
        case .oaep: Int32(CHATELAINE_FILL_OAEP)
        }
    }

    fileprivate var digest: Int32 {
        if case .oaep(let digest) = self { digest.number } else { Int32(CHATELAINE_DIGEST_NONE) }
    }
}
