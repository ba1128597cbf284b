import ChatelaineModel
import SwiftASN1

/// Parses distinguished names, and makes their normalised form.
enum NameReader {
    static func read(_ node: ASN1Node, _ name: String) throws(CertificateFlaw) -> CertificateName {
        var names = try ElementReader(node, name)
        var parts: [CertificateName.Part] = []
        var normalized = DER.Serializer()
        while !names.isAtEnd {
            var pairs: [(type: ASN1Node, value: ASN1Node)] = []
            var set = try ElementReader(try names.take(), name, as: .set)
            repeat {
                var pair = try ElementReader(try set.take(), name)
                let (type, value) = (try pair.take(.objectIdentifier), try pair.take())
                try pair.end()
                guard parts.count < CertificateLimits.maximumNameParts else {
                    throw CertificateFlaw("\(name) has more than \(CertificateLimits.maximumNameParts) parts")
                }
                parts.append(.init(identifier: try type.objectIdentifier(name), text: value.text))
                pairs.append((type, value))
            } while !set.isAtEnd
            append(pairs, to: &normalized)
        }
        return CertificateName(
            encoded: Array(node.encodedBytes), normalized: normalized.serializedBytes, parts: parts)
    }

    /// Reads a name that stands alone.
    static func read(_ der: [UInt8]) throws(CertificateFlaw) -> CertificateName {
        guard der.count <= CertificateLimits.maximumNameBytes else {
            throw CertificateFlaw("a name has more than \(CertificateLimits.maximumNameBytes) bytes")
        }
        guard let node = try? DER.parse(der) else { throw CertificateFlaw("a name is no DER") }
        return try read(node, "a name")
    }

    /// Appends the same parts in the same order.
    ///
    /// As with Apple, only printable strings are normalised, because case and blanks do not matter in that type.
    private static func append(_ pairs: [(type: ASN1Node, value: ASN1Node)], to serializer: inout DER.Serializer) {
        serializer.appendConstructedNode(identifier: .set) { set in
            for (type, value) in pairs {
                set.appendConstructedNode(identifier: .sequence) { pair in
                    pair.serialize(type)
                    if value.identifier == .printableString, let bytes = value.bytes {
                        pair.appendPrimitiveNode(identifier: .printableString) { $0 += normalized(bytes) }
                    } else {
                        pair.serialize(value)
                    }
                }
            }
        }
    }

    /// ASCII letters as capitals, no blanks at either end, and single blanks in between.
    static func normalized(_ text: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var hasGap = false
        for byte in text {
            if byte == UInt8(ascii: " ") {
                hasGap = !result.isEmpty
                continue
            }
            if hasGap { result.append(UInt8(ascii: " ")) }
            hasGap = false
            result.append((UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte)
        }
        return result
    }
}
