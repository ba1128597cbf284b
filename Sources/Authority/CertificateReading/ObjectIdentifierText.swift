import ChatelaineModel
import SwiftASN1

extension ASN1Node {
    /// The object identifier as numbers with dots.
    func objectIdentifier(_ name: String) throws(CertificateFlaw) -> String {
        guard identifier == .objectIdentifier, let bytes, !bytes.isEmpty else {
            throw CertificateFlaw("\(name) is no object identifier")
        }
        guard bytes.count <= CertificateLimits.maximumIdentifierBytes else {
            throw CertificateFlaw(
                "\(name) is an object identifier of more than \(CertificateLimits.maximumIdentifierBytes) bytes")
        }
        var parts: [UInt64] = []
        var value: UInt64 = 0
        var isWithin = false
        for byte in bytes {
            // A component must not begin with a zero group, and must fit into 64 bits.
            guard isWithin || byte != 0x80, value < 1 << 57 else {
                throw CertificateFlaw("\(name) is an object identifier that is not written as it has to be")
            }
            value = value << 7 | UInt64(byte & 0x7F)
            isWithin = byte & 0x80 != 0
            if !isWithin {
                parts.append(value)
                value = 0
            }
        }
        guard !isWithin, let first = parts.first else {
            throw CertificateFlaw("\(name) is an object identifier that ends too early")
        }
        // The first two components are encoded as one number.
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + parts.dropFirst()).map(String.init).joined(separator: ".")
    }
}
