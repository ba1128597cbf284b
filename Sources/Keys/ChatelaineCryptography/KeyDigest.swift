import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

/// The digests of signatures, paddings and key derivations.
package enum KeyDigest: String, CaseIterable, Sendable {
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    var number: Int32 {
        switch self {
        case .sha1: Int32(CHATELAINE_DIGEST_SHA1)
        case .sha224: Int32(CHATELAINE_DIGEST_SHA224)
        case .sha256: Int32(CHATELAINE_DIGEST_SHA256)
        case .sha384: Int32(CHATELAINE_DIGEST_SHA384)
        case .sha512: Int32(CHATELAINE_DIGEST_SHA512)
        }
    }

    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    package func digest(of bytes: UnsafeRawBufferPointer) throws(KeychainError) -> [UInt8] {
        try CryptographyFailure.output(Int(CHATELAINE_DIGEST_BYTES), "a digest") { result, count in
            chatelaine_digest(number, bytes.bytes, bytes.count, result, count)
        }
    }

    /// The digest of a secret, in secret memory because the digest may allow guessing the secret.
    func digest(of secret: SecretBytes) throws(KeychainError) -> SecretBytes {
        try CryptographyFailure.secret(Int(CHATELAINE_DIGEST_BYTES), "a digest") { result, count in
            secret.withUnsafeBytes { chatelaine_digest(number, $0.bytes, $0.count, result, count) }
        }
    }
}
