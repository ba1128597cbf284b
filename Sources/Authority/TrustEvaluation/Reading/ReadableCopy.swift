import SwiftASN1

/// A certificate with another algorithm in place of its own, which swift-certificates can read.
///
/// swift-certificates reads no certificate with an unknown algorithm of its signature. Nobody verifies the signature of
/// an anchor, and this module verifies those of ``SignatureAlgorithm/isOurs``. The rest of such a certificate can be
/// read from a copy. Its issuer has not signed the copy, so swift-certificates may know it as an end of a chain only.
enum ReadableCopy {
    /// RSA with SHA-256, of which any bytes are read as a signature.
    private static let algorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B, 0x05, 0x00,
    ]

    /// - Throws: if the two fields of the algorithm differ, or are not where they have to be.
    static func bytes(of der: [UInt8]) throws -> [UInt8] {
        let (fields, signature, outer) = try DER.sequence(try DER.parse(der), identifier: .sequence) { parts in
            guard let signed = parts.next(), signed.identifier == .sequence,
                case .constructed(let fields) = signed.content, let outer = parts.next(), let bits = parts.next()
            else { throw Missing() }
            return (Array(fields), bits, outer)
        }
        // The algorithm stands after the version, which version 1 does not have, and the serial number.
        let place = fields.first?.identifier == .context(0) ? 2 : 1
        guard place < fields.count, fields[place].encodedBytes == outer.encodedBytes else { throw Missing() }
        var copy = DER.Serializer()
        copy.appendConstructedNode(identifier: .sequence) { whole in
            whole.appendConstructedNode(identifier: .sequence) { signed in
                for (index, field) in fields.enumerated() {
                    signed.serializeRawBytes(index == place ? algorithm[...] : field.encodedBytes)
                }
            }
            whole.serializeRawBytes(algorithm)
            whole.serializeRawBytes(signature.encodedBytes)
        }
        return copy.serializedBytes
    }
}
