import SwiftASN1
import X509

/// A distinguished name in the form in which its spellings are equal (RFC 5280, 7.1).
///
/// The case of letters, the number of blanks and the type of the text do not matter. A name only says where to look for
/// an issuer: the signature proves who it is.
struct ComparableName: Hashable, Sendable {
    private struct Attribute: Hashable {
        let type: ASN1ObjectIdentifier
        let value: Value
    }

    private enum Value: Hashable {
        case text(String)
        case other(ASN1Any)
    }

    private let parts: [Set<Attribute>]

    init(_ name: DistinguishedName) {
        parts = name.map { part in
            Set(
                part.map { attribute in
                    let any = ASN1Any(attribute.value)
                    let text = String(attribute.value) ?? Self.text(any)
                    return Attribute(type: attribute.type, value: text.map { .text(Self.folded($0)) } ?? .other(any))
                })
        }
    }

    /// The text in small letters, without blanks at its ends, and with single blanks in between.
    ///
    /// White space and control characters are blanks, and characters that nobody sees are left out (RFC 4518, 2.2).
    static func folded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        return (isPlain ? text : mapped(text)).lowercased().split(separator: " ").joined(separator: " ")
    }

    private static func mapped(_ text: String) -> String {
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || properties.generalCategory == .control {
                mapped.append(" ")
            } else if !properties.isDefaultIgnorableCodePoint {
                mapped.append(scalar)
            }
        }
        return String(mapped)
    }

    /// The text of a kind that swift-certificates does not read; nil for other values.
    private static func text(_ value: ASN1Any) -> String? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(value)) != nil, let node = try? DER.parse(serializer.serializedBytes),
            case .primitive(let bytes) = node.content
        else { return nil }
        return switch node.identifier {
        case .bmpString: characters(bytes, of: 2)
        case .universalString: characters(bytes, of: 4)
        // Latin 1 in all certificates in use, as openssl takes it.
        case .teletexString, .visibleString: characters(bytes, of: 1)
        default: nil
        }
    }

    private static func characters(_ bytes: ArraySlice<UInt8>, of width: Int) -> String? {
        guard bytes.count.isMultiple(of: width) else { return nil }
        var text = String.UnicodeScalarView()
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: width) {
            let code = bytes[start..<start + width].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard let scalar = Unicode.Scalar(code) else { return nil }
            text.append(scalar)
        }
        return String(text)
    }
}
