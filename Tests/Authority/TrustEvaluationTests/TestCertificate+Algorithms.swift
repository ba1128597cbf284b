import Crypto
import SwiftASN1
import X509
import _CryptoExtras

extension TestCertificate {
    /// The certificate with another algorithm in both of its fields.
    ///
    /// - Parameters:
    ///   - outside: The algorithm of the second field, where it differs.
    ///   - sign: Makes the signature of the changed certificate; by default the old one stays, which is then wrong.
    func der(
        signedBy algorithm: [UInt8], outside: [UInt8]? = nil, sign: (([UInt8]) throws -> [UInt8])? = nil
    ) throws -> [UInt8] {
        struct NoCertificate: Error {}
        return try DER.sequence(try DER.parse(der), identifier: .sequence) { parts in
            guard let signed = parts.next(), case .constructed(let fields) = signed.content, parts.next() != nil,
                let signature = parts.next()
            else { throw NoCertificate() }
            let place = certificate.version == .v3 ? 2 : 1
            var body = DER.Serializer()
            body.appendConstructedNode(identifier: .sequence) { inner in
                for (index, field) in fields.enumerated() {
                    inner.serializeRawBytes(index == place ? algorithm[...] : field.encodedBytes)
                }
            }
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { whole in
                whole.serializeRawBytes(body.serializedBytes)
                whole.serializeRawBytes(outside ?? algorithm)
                if let sign {
                    try whole.serialize(ASN1BitString(bytes: try sign(body.serializedBytes)[...]))
                } else {
                    whole.serializeRawBytes(signature.encodedBytes)
                }
            }
            return serializer.serializedBytes
        }
    }

    /// The digests of RSA-PSS, by the last number of their identifiers.
    enum PSS: UInt8, CaseIterable {
        case sha256 = 1
        case sha384, sha512

        var bytes: UInt8 { [.sha256: 32, .sha384: 48, .sha512: 64][self] ?? 0 }

        /// `AlgorithmIdentifier` with null parameters.
        private var name: [UInt8] { [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, rawValue, 5, 0] }

        /// The algorithm with its parameters (RFC 4055, 3.1).
        func algorithm(salt: UInt8? = nil, mask: PSS? = nil, trailer: UInt8? = nil) -> [UInt8] {
            let mgf1: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 8]
            let mask = Self.node(0x30, mgf1 + (mask ?? self).name)
            let parameters =
                Self.node(0xA0, name) + Self.node(0xA1, mask) + [0xA2, 3, 2, 1, salt ?? bytes]
                + (trailer.map { [0xA3, 3, 2, 1, $0] } ?? [])
            let pss: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]
            return Self.node(0x30, pss + Self.node(0x30, parameters))
        }

        private static func node(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }

        func sign(_ text: [UInt8], by key: Certificate.PrivateKey) throws -> [UInt8] {
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: try key.serializeAsPEM().pemString)
            let signature =
                switch self {
                case .sha256: try key.signature(for: SHA256.hash(data: text), padding: .PSS)
                case .sha384: try key.signature(for: SHA384.hash(data: text), padding: .PSS)
                case .sha512: try key.signature(for: SHA512.hash(data: text), padding: .PSS)
                }
            return Array(signature.rawRepresentation)
        }
    }

    /// The certificate, signed anew with RSA-PSS by the key of its issuer.
    func der(signedBy pss: PSS, of issuer: TestCertificate) throws -> [UInt8] {
        try der(signedBy: pss.algorithm()) { try pss.sign($0, by: issuer.key) }
    }
}
