import ChatelaineModel
import Crypto
import SwiftASN1

/// Reads the public key of a certificate.
enum KeyReader {
    static func read(_ node: ASN1Node) throws(CertificateFlaw) -> CertificateKey {
        var key = try ElementReader(node, "the public key")
        var algorithm = try ElementReader(try key.take(.sequence), "the public key's algorithm")
        let identifier = try algorithm.take(.objectIdentifier).objectIdentifier("the public key's algorithm")
        let parameters = algorithm.isAtEnd ? nil : try algorithm.take()
        try algorithm.end()
        let bytes = try key.take(.bitString).wholeBits("the public key")
        try key.end()
        let kind = kind(identifier, parameters)
        return CertificateKey(
            algorithm: identifier, kind: kind, bits: kind.flatMap { bits(of: $0, bytes) }, representation: bytes,
            hash: Array(Insecure.SHA1.hash(data: bytes)))
    }

    private static func kind(_ algorithm: String, _ parameters: ASN1Node?) -> CertificateKey.Kind? {
        switch algorithm {
        case "1.2.840.113549.1.1.1": return .rsa
        case "1.2.840.10045.2.1":
            switch try? parameters?.objectIdentifier("the curve") {
            case "1.2.840.10045.3.1.7": return .p256
            case "1.3.132.0.34": return .p384
            case "1.3.132.0.35": return .p521
            default: return nil
            }
        case "1.3.101.110": return .x25519
        case "1.3.101.112": return .ed25519
        default: return nil
        }
    }

    private static func bits(of kind: CertificateKey.Kind, _ bytes: [UInt8]) -> UInt64? {
        switch kind {
        case .rsa: modulusBits(bytes)
        case .p256, .ed25519, .x25519: 256
        case .p384: 384
        case .p521: 521
        }
    }

    private static func modulusBits(_ key: [UInt8]) -> UInt64? {
        guard let node = try? DER.parse(key), var numbers = try? ElementReader(node, "the key"),
            let modulus = try? numbers.take().integer("the modulus"), modulus[0] < 0x80
        else { return nil }
        let bytes = modulus.drop { $0 == 0 }
        guard let first = bytes.first else { return nil }
        return UInt64(bytes.count * 8 - first.leadingZeroBitCount)
    }
}
