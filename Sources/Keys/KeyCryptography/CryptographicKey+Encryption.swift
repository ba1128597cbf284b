import CLibCrypto
import ChatelaineMemory
import ChatelaineModel

/// Encrypting by RSA (behaviour F.4).
extension CryptographicKey {
    package func encrypts(by algorithm: KeyAlgorithm) -> Bool {
        guard case .rsaEncryption(let digest) = algorithm, kind == .rsa else { return false }
        // RFC 8017, 7.1.1: twice the digest and two bytes are not the message's.
        return digest.map { blockBytes >= 2 * $0.byteCount + 2 } ?? true
    }

    /// - Throws: `errSecParam` for an algorithm of other keys, and for more than the block has room for.
    package func encrypted(
        _ data: UnsafeRawBufferPointer, by algorithm: KeyAlgorithm
    ) throws(KeychainError) -> [UInt8] {
        guard case .rsaEncryption(let digest) = algorithm, encrypts(by: algorithm) else { throw Self.notForThisKey }
        let plain = digest == nil ? try block(data) : [UInt8](data)
        return try CryptographyFailure.output(Int(CHATELAINE_BLOCK_BYTES), "encrypting") { result, count in
            chatelaine_key_encrypt(
                handle, Self.fill(digest), digest?.number ?? 0, plain, plain.count, result, count)
        }
    }

    /// - Throws: `errSecParam` for an algorithm of other keys, and a public key; `errSecDecode` for what was not encrypted with this key, whatever is wrong with it.
    package func decrypted(
        _ data: UnsafeRawBufferPointer, by algorithm: KeyAlgorithm
    ) throws(KeychainError) -> SecretBytes {
        guard isPrivate, case .rsaEncryption(let digest) = algorithm, encrypts(by: algorithm) else {
            throw Self.notForThisKey
        }
        return try CryptographyFailure.secret(Int(CHATELAINE_BLOCK_BYTES), "decrypting") { result, count in
            chatelaine_key_decrypt(
                handle, Self.fill(digest), digest?.number ?? 0, data.bytes, data.count, result, count)
        }
    }

    private static func fill(_ digest: KeyDigest?) -> Int32 {
        Int32(digest == nil ? CHATELAINE_FILL_NONE : CHATELAINE_FILL_OAEP)
    }
}
