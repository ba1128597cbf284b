import CChatelaineCrypto
import ChatelaineModel

/// Signing and verifying (behaviour/keys-in-memory.md, 8 to 12).
extension CryptographicKey {
    /// Whether keys of this kind and size support the algorithm.
    package func signs(by algorithm: KeyAlgorithm) -> Bool {
        switch algorithm {
        case .rsaSignature(let padding, let digest, _): kind == .rsa && hasRoom(for: padding, digest)
        case .ecSignature: kind == .ec
        case .eddsaSignature: kind == .ed25519
        case .rsaEncryption, .rsaHybrid, .ecies, .keyExchange: false
        }
    }

    /// Whether the block has room for the padding: a small key cannot hold a large digest twice.
    private func hasRoom(for padding: KeyAlgorithm.SignaturePadding, _ digest: KeyDigest?) -> Bool {
        guard padding == .pss, let digest else { return true }
        // PSS needs digest, salt and two bytes (RFC 8017, 9.1.1), in a number of one bit less than the modulus.
        return (bits - 1 + 7) / 8 >= 2 * digest.byteCount + 2
    }

    /// - Throws: `errSecParam` for an algorithm of other keys, for a public key, and for data of a wrong length.
    package func signature(
        of data: UnsafeRawBufferPointer, by algorithm: KeyAlgorithm
    ) throws(KeychainError) -> [UInt8] {
        guard isPrivate, signs(by: algorithm) else { throw Self.notForThisKey }
        let (digest, fill, form) = try parameters(algorithm)
        let signed = try signedBytes(data, algorithm)
        let signature = try CryptographyFailure.output(Int(CHATELAINE_BLOCK_BYTES), "signing") { result, count in
            chatelaine_key_sign(handle, fill, digest, signed, signed.count, result, count)
        }
        guard form == .rfc4754 else { return signature }
        return try SignatureNumbers(der: signature).sideBySide(width: blockBytes)
    }

    /// - Throws: `errSecVerifyFailed` for a wrong signature; otherwise as ``signature(of:by:)``.
    package func verify(
        _ signature: UnsafeRawBufferPointer, of data: UnsafeRawBufferPointer, by algorithm: KeyAlgorithm
    ) throws(KeychainError) {
        guard signs(by: algorithm) else { throw Self.notForThisKey }
        let (digest, fill, form) = try parameters(algorithm)
        let signed = try signedBytes(data, algorithm)
        var given = [UInt8](signature)
        if form == .rfc4754 {
            guard let numbers = SignatureNumbers(sideBySide: given, width: blockBytes) else {
                throw KeychainError(
                    .verifyFailed, "the signature has another length than two numbers of the key's curve")
            }
            given = numbers.der
        }
        try CryptographyFailure.check(
            chatelaine_key_verify(handle, fill, digest, signed, signed.count, given, given.count), "verifying")
    }

    static var notForThisKey: KeychainError {
        KeychainError(.param, "the algorithm is none of keys of this kind and size, or needs the private key")
    }

    private func parameters(
        _ algorithm: KeyAlgorithm
    ) throws(KeychainError) -> (digest: Int32, fill: Int32, form: KeyAlgorithm.SignatureEncoding?) {
        let none = Int32(CHATELAINE_DIGEST_NONE)
        switch algorithm {
        case .rsaSignature(let padding, let digest, _): return (digest?.number ?? none, padding.number, nil)
        case .ecSignature(let form, let digest, _):
            return (digest?.number ?? none, Int32(CHATELAINE_FILL_NONE), form)
        case .eddsaSignature: return (none, Int32(CHATELAINE_FILL_NONE), nil)
        case .rsaEncryption, .rsaHybrid, .ecies, .keyExchange: throw Self.notForThisKey
        }
    }

    /// The bytes to sign: the digest of a message, or the data themselves, which must fill a block if there is no
    /// padding.
    private func signedBytes(
        _ data: UnsafeRawBufferPointer, _ algorithm: KeyAlgorithm
    ) throws(KeychainError) -> [UInt8] {
        switch algorithm {
        case .rsaSignature(_, let digest?, let isMessage), .ecSignature(_, let digest?, let isMessage):
            if isMessage { return try digest.digest(of: data) }
            guard data.count == digest.byteCount else {
                throw KeychainError(
                    .param, "a digest of this algorithm has \(digest.byteCount) bytes, and the data have \(data.count)")
            }
            return [UInt8](data)
        case .rsaSignature(.none, _, _): return try block(data)
        case .rsaSignature(.pkcs1, nil, _):
            // libcrypto signs an empty block, and then does not verify its own signature.
            guard !data.isEmpty else { throw KeychainError(.param, "there is nothing to sign: the data are empty") }
            return [UInt8](data)
        default: return [UInt8](data)
        }
    }

    /// The data with leading zeros, up to the size of a block.
    func block(_ data: UnsafeRawBufferPointer) throws(KeychainError) -> [UInt8] {
        guard data.count <= blockBytes else {
            throw KeychainError(
                .param, "a block of this key has \(blockBytes) bytes, and the data have \(data.count)")
        }
        return [UInt8](repeating: 0, count: blockBytes - data.count) + data
    }
}

extension KeyAlgorithm.SignaturePadding {
    fileprivate var number: Int32 {
        switch self {
        case .none: Int32(CHATELAINE_FILL_NONE)
        case .pkcs1: Int32(CHATELAINE_FILL_PKCS1)
        case .pss: Int32(CHATELAINE_FILL_PSS)
        }
    }
}
