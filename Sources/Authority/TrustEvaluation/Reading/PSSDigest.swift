import Crypto
import SwiftASN1
import X509
import _CryptoExtras

/// The digest of an RSA-PSS signature (RFC 4055, 3.1).
///
/// The parameters could name two digests, and any length of the salt. Here both digests have to be the same, and the
/// salt has to be as long as they are. RFC 4055 recommends that, and the authorities of the web may do nothing else.
enum PSSDigest: Sendable {
    /// Read only to say that it is weak.
    case sha1
    case sha256, sha384, sha512

    private static let digests: [ASN1ObjectIdentifier: PSSDigest] = [
        [1, 3, 14, 3, 2, 26]: .sha1, [2, 16, 840, 1, 101, 3, 4, 2, 1]: .sha256,
        [2, 16, 840, 1, 101, 3, 4, 2, 2]: .sha384, [2, 16, 840, 1, 101, 3, 4, 2, 3]: .sha512,
    ]
    private static let mgf1: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]
    /// The only trailer there is, `BC`.
    private static let trailer = 1

    private var bytes: Int {
        switch self {
        case .sha1: Insecure.SHA1Digest.byteCount
        case .sha256: SHA256Digest.byteCount
        case .sha384: SHA384Digest.byteCount
        case .sha512: SHA512Digest.byteCount
        }
    }

    /// - Throws: for parameters that are damaged, or are not supported.
    init(parameters: ASN1Node) throws {
        let digest = try DER.sequence(parameters, identifier: .sequence) { fields in
            let digest = try Self.field(0, &fields, Self.digest) ?? .sha1
            let other = try Self.field(1, &fields, Self.digestOfMask) ?? .sha1
            let salt = try Self.field(2, &fields) { try Int(derEncoded: $0) } ?? Self.sha1.bytes
            let trailer = try Self.field(3, &fields) { try Int(derEncoded: $0) } ?? Self.trailer
            guard other == digest, salt == digest.bytes, trailer == Self.trailer else { throw Missing() }
            return digest
        }
        self = digest
    }

    /// Whether `key` is an RSA key, and has made the signature.
    func verifies(_ signature: [UInt8], of text: [UInt8], by key: Certificate.PublicKey) -> Bool {
        guard let key = _RSA.Signing.PublicKey(key) else { return false }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch self {
        case .sha1: false
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: text), padding: .PSS)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: text), padding: .PSS)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: text), padding: .PSS)
        }
    }

    private static func field<Value>(
        _ number: UInt, _ fields: inout ASN1NodeCollection.Iterator, _ read: (ASN1Node) throws -> Value
    ) throws -> Value? {
        try DER.optionalExplicitlyTagged(&fields, tagNumber: number, tagClass: .contextSpecific, read)
    }

    private static func digest(_ algorithm: ASN1Node) throws -> PSSDigest {
        try DER.sequence(algorithm, identifier: .sequence) { parts in
            guard let digest = digests[try ASN1ObjectIdentifier(derEncoded: &parts)] else { throw Missing() }
            // Parameters are absent or null, and mean nothing.
            _ = parts.next()
            return digest
        }
    }

    private static func digestOfMask(_ algorithm: ASN1Node) throws -> PSSDigest {
        try DER.sequence(algorithm, identifier: .sequence) { parts in
            guard try ASN1ObjectIdentifier(derEncoded: &parts) == mgf1, let digest = parts.next() else {
                throw Missing()
            }
            return try Self.digest(digest)
        }
    }
}
