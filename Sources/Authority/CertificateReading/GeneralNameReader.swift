import ChatelaineModel
import SwiftASN1

/// Turns names of any form (RFC 5280, 4.2.1.6) into fields for people.
enum GeneralNameReader {
    /// The fields of a list of names.
    ///
    /// - Parameter prefix: is put before each label.
    static func fields(
        _ node: ASN1Node, _ name: String, prefix: String = "", as identifier: ASN1Identifier = .sequence
    ) throws(CertificateFlaw) -> [CertificateField] {
        var list = try ElementReader(node, name, as: identifier)
        var fields: [CertificateField] = []
        while !list.isAtEnd {
            fields.append(try field(try list.take(), name, prefix: prefix))
            guard fields.count <= CertificateLimits.maximumFields else { throw tooMany(name) }
        }
        return fields
    }

    static func tooMany(_ name: String) -> CertificateFlaw {
        CertificateFlaw("\(name) has more than \(CertificateLimits.maximumFields) parts")
    }

    /// The field of one name.
    ///
    /// A name that is no text, or has a form that people do not read, is shown as its bytes.
    ///
    /// - Parameter isConstraint: whether an address is followed by its mask.
    static func field(
        _ node: ASN1Node, _ name: String, prefix: String = "", isConstraint: Bool = false
    ) throws(CertificateFlaw) -> CertificateField {
        guard node.identifier.tagClass == .contextSpecific else {
            throw CertificateFlaw("\(name) has a name of no known form")
        }
        func field(_ label: String, _ text: String?) -> CertificateField {
            CertificateField(prefix + label, text.map { .text($0) } ?? .data(node.contentBytes))
        }
        let bytes = node.bytes
        switch node.identifier.tagNumber {
        case 1: return field("Email Address", bytes.flatMap(AlternativeNameReader.plain))
        case 2: return field("DNS Name", bytes.flatMap(AlternativeNameReader.plain))
        case 4:
            var inner = try ElementReader(node, name, as: node.identifier)
            let directory = try NameReader.read(try inner.take(.sequence), name)
            try inner.end()
            return field("Directory Name", directory.line)
        case 6: return field("URI", bytes.flatMap(AlternativeNameReader.plain))
        case 7: return field("IP Address", bytes.flatMap { isConstraint ? masked($0) : address($0) })
        case 8: return field("Registered ID", nil)
        default: return field("Other Name", nil)
        }
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> String? { AlternativeNameReader.address(Array(bytes)) }

    /// An address with its mask.
    private static func masked(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count == 8 || bytes.count == 32 else { return nil }
        guard let first = address(bytes.prefix(bytes.count / 2)), let mask = address(bytes.suffix(bytes.count / 2))
        else { return nil }
        return "\(first)/\(mask)"
    }
}

extension ASN1Node {
    /// The bytes after the header; for a constructed element, the DER of its parts.
    var contentBytes: [UInt8] {
        switch content {
        case .primitive(let bytes): return Array(bytes)
        case .constructed(let nodes): return nodes.flatMap { Array($0.encodedBytes) }
        }
    }
}
