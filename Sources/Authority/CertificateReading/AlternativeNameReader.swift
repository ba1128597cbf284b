import ChatelaineModel
import SwiftASN1

/// Reads the alternative names of a subject; names of other kinds than ``AlternativeName/Kind`` are skipped.
enum AlternativeNameReader {
    static func read(_ node: ASN1Node) throws(CertificateFlaw) -> [AlternativeName] {
        var list = try ElementReader(node, "the alternative names")
        var names: [AlternativeName] = []
        while !list.isAtEnd {
            guard names.count < CertificateLimits.maximumAlternativeNames else {
                throw CertificateFlaw("there are more than \(CertificateLimits.maximumAlternativeNames) names")
            }
            if let name = name(try list.take()) { names.append(name) }
        }
        return names
    }

    private static func name(_ node: ASN1Node) -> AlternativeName? {
        guard node.identifier.tagClass == .contextSpecific, let bytes = node.bytes else { return nil }
        switch node.identifier.tagNumber {
        case 1: return plain(bytes).map { AlternativeName(.email, $0) }
        case 2: return plain(bytes).map { AlternativeName(.host, $0) }
        case 6: return plain(bytes).map { AlternativeName(.uri, $0) }
        case 7: return address(Array(bytes)).map { AlternativeName(.address, $0) }
        default: return nil
        }
    }

    /// ASCII text without control characters.
    ///
    /// A zero byte or a line feed in a host name could mislead a reader.
    static func plain(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address as in RFC 5952, but not shortened, so that each address has one text.
    static func address(_ bytes: [UInt8]) -> String? {
        switch bytes.count {
        case 4: bytes.map(String.init).joined(separator: ".")
        case 16:
            stride(from: 0, to: 16, by: 2)
                .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
        default: nil
        }
    }
}
