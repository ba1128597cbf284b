import SwiftASN1
import X509

/// The algorithm of the signature on a signed structure: a certificate, a list or an answer.
struct SignatureAlgorithmName: Hashable, Sendable {
    /// Nil if the algorithm cannot be read.
    let identifier: ASN1ObjectIdentifier?

    init(_ identifier: ASN1ObjectIdentifier?) { self.identifier = identifier }

    /// Reads the second of the three parts of `SIGNED`.
    init(ofSigned der: [UInt8]) {
        identifier = try? DER.sequence(try DER.parse(der), identifier: .sequence) { parts in
            guard parts.next() != nil, let algorithm = parts.next() else { throw Missing() }
            while parts.next() != nil {}
            return try Self.identifier(in: algorithm)
        }
    }

    /// The identifier at the beginning of an `AlgorithmIdentifier`.
    static func identifier(in node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try DER.sequence(node, identifier: .sequence) { parts in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
            while parts.next() != nil {}
            return identifier
        }
    }

    /// Whether the digest is so weak that two texts with the same signature can be made.
    var isWeak: Bool { identifier.map(Self.weak.contains) ?? false }

    /// The algorithm for swift-certificates; nil if it does not support it.
    var verifiable: Certificate.SignatureAlgorithm? { identifier.flatMap { Self.known[$0] } }

    private static let rsa: [ASN1ObjectIdentifier] = [
        // RSA with MD2, MD4, MD5 and SHA-1.
        [1, 2, 840, 113549, 1, 1, 2], [1, 2, 840, 113549, 1, 1, 3], [1, 2, 840, 113549, 1, 1, 4],
        [1, 2, 840, 113549, 1, 1, 5],
    ]
    /// SHA-1 with ECDSA, DSA, and with RSA under the name of an older standard.
    private static let others: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 10045, 4, 1], [1, 2, 840, 10040, 4, 3], [1, 3, 14, 3, 2, 29],
    ]
    private static let weak = Set(rsa + others)

    private static let known: [ASN1ObjectIdentifier: Certificate.SignatureAlgorithm] = [
        [1, 2, 840, 10045, 4, 3, 2]: .ecdsaWithSHA256, [1, 2, 840, 10045, 4, 3, 3]: .ecdsaWithSHA384,
        [1, 2, 840, 10045, 4, 3, 4]: .ecdsaWithSHA512, [1, 2, 840, 113549, 1, 1, 11]: .sha256WithRSAEncryption,
        [1, 2, 840, 113549, 1, 1, 12]: .sha384WithRSAEncryption,
        [1, 2, 840, 113549, 1, 1, 13]: .sha512WithRSAEncryption, [1, 3, 101, 112]: .ed25519,
    ]
}
