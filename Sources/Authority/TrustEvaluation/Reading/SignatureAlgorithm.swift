import SwiftASN1
import X509

/// The algorithm of the signature on a signed structure: a certificate, a list or an answer.
struct SignatureAlgorithm: Hashable, Sendable {
    /// Nil if the algorithm cannot be read.
    private let identifier: ASN1ObjectIdentifier?
    /// The digest of RSA-PSS; nil for other algorithms, and for other parameters than ``PSSDigest`` has.
    private let pss: PSSDigest?

    /// - Parameter algorithm: an `AlgorithmIdentifier`; nil if there is none.
    init(_ algorithm: ASN1Node?) {
        let parts = try? algorithm.map { node in
            try DER.sequence(node, identifier: .sequence) { parts in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                let parameters = parts.next()
                while parts.next() != nil {}
                return (identifier: identifier, parameters: parameters)
            }
        }
        identifier = parts?.identifier
        pss = parts?.identifier == Self.rsaPSS ? parts?.parameters.flatMap { try? PSSDigest(parameters: $0) } : nil
    }

    /// Reads the second of the three parts of `SIGNED`; nil for what is no DER.
    init(ofSigned node: ASN1Node?) {
        let algorithm = try? node.map { node in
            try DER.sequence(node, identifier: .sequence) { parts in
                guard parts.next() != nil, let algorithm = parts.next() else { throw Missing() }
                while parts.next() != nil {}
                return algorithm
            }
        }
        self.init(algorithm)
    }

    init(ofSigned der: [UInt8]) { self.init(ofSigned: try? DER.parse(der)) }

    /// Whether the digest is so weak that two texts with the same signature can be made.
    var isWeak: Bool { identifier.map(Self.weak.contains) ?? false || pss == .sha1 }

    /// Whether signatures are verified here, and not by swift-certificates, which does not know the algorithm.
    var isOurs: Bool { pss.map { $0 != .sha1 } ?? false }

    /// Whether `key` has made the signature; false for every weak or unknown algorithm.
    func verifies(_ signature: [UInt8], of bytes: [UInt8], by key: Certificate.PublicKey) -> Bool {
        if let pss { return pss.verifies(signature, of: bytes, by: key) }
        guard let known = identifier.flatMap({ Self.known[$0] }) else { return false }
        return key.isValidSignature(signature, for: bytes, signatureAlgorithm: known)
    }

    private static let rsaPSS: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 10]
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
