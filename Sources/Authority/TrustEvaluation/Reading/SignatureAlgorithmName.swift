import SwiftASN1
import X509

/// The algorithm of a signature around something that was signed: a certificate, a list, an answer.
struct SignatureAlgorithmName: Hashable, Sendable {
    /// Nil where there is none to be read.
    let identifier: ASN1ObjectIdentifier?

    init(_ identifier: ASN1ObjectIdentifier?) { self.identifier = identifier }

    /// The second of the three parts of `SIGNED`.
    init(ofSigned der: [UInt8]) {
        identifier = try? DER.sequence(try DER.parse(der), identifier: .sequence) { parts in
            guard parts.next() != nil, let algorithm = parts.next() else { throw Missing() }
            while parts.next() != nil {}
            return try Self.identifier(in: algorithm)
        }
    }

    /// What an `AlgorithmIdentifier` begins with.
    static func identifier(in node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try DER.sequence(node, identifier: .sequence) { parts in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
            while parts.next() != nil {}
            return identifier
        }
    }

    /// Whether two texts of the same signature can be made.
    var isWeak: Bool { identifier.map(Self.weak.contains) ?? false }

    /// What swift-certificates verifies; nil for what it does not.
    var verifiable: Certificate.SignatureAlgorithm? { identifier.flatMap { Self.known[$0] } }

    private static let rsa: [ASN1ObjectIdentifier] = [
        // MD2, MD4, MD5 and SHA-1.
        [1, 2, 840, 113549, 1, 1, 2], [1, 2, 840, 113549, 1, 1, 3], [1, 2, 840, 113549, 1, 1, 4],
        [1, 2, 840, 113549, 1, 1, 5],
    ]
    /// SHA-1 with ECDSA, DSA, and with RSA as an older standard names it.
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
