/// The public key of a certificate.
package struct CertificateKey: Hashable, Sendable {
    /// The kinds of keys that this project can use. The numbers are on the wire.
    package enum Kind: UInt8, CBORValue, CaseIterable, Sendable {
        case rsa = 1
        case p256 = 2
        case p384 = 3
        case p521 = 4
        case ed25519 = 5
        case x25519 = 6
    }

    /// The object identifier of the algorithm, in dots and digits.
    package var algorithm: String
    /// Nil for any other algorithm.
    package var kind: Kind?
    /// The size in bits; nil if it is not known.
    package var bits: UInt64?
    /// The external representation of the key: PKCS#1 for RSA, X9.63 for curves.
    package var representation: [UInt8]
    /// SHA-1 of ``representation``: `kSecAttrPublicKeyHash`, and the application label of the key.
    package var hash: [UInt8]

    package init(algorithm: String, kind: Kind?, bits: UInt64?, representation: [UInt8], hash: [UInt8]) {
        self.algorithm = algorithm
        self.kind = kind
        self.bits = bits
        self.representation = representation
        self.hash = hash
    }

    package static let hashBytes = 20
}

extension CertificateKey: CBORValue {
    private enum Field: UInt64, CBORField {
        case algorithm = 1
        case kind = 2
        case bits = 3
        case representation = 4
        case hash = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.algorithm, algorithm)
            $0.write(Field.kind, kind)
            $0.write(Field.bits, bits)
            $0.write(Field.representation, representation)
            $0.write(Field.hash, hash)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(Field.algorithm)
        let algorithm = try map.reader.readText(limit: CertificateLimits.maximumIdentifierText)
        self.init(
            algorithm: algorithm, kind: try map.readIfPresent(Field.kind), bits: try map.readIfPresent(Field.bits),
            representation: try map.read(Field.representation), hash: try map.read(Field.hash))
        guard representation.count <= CertificateLimits.maximumBytes, hash.count == Self.hashBytes
        else { throw .limitExceeded }
        reader = try map.end()
    }
}
