import SwiftASN1

/// A certificate in parts that a test may replace.
///
/// The signature is arbitrary, because nobody verifies it.
struct SampleCertificate {
    var version: [UInt8]? = der(0xA0, der(0x02, [2]))
    var serialNumber = der(0x02, [0x12, 0x34])
    var algorithm = sequence(oid("1.2.840.10045.4.3.2"))
    var outerAlgorithm: [UInt8]?
    var issuer = name(("2.5.4.10", 0x13, " Exämple  Authority "))
    var notBefore = der(0x17, Array("240101000000Z".utf8))
    var notAfter = der(0x18, Array("20510101000000Z".utf8))
    var subject = name(("2.5.4.10", 0x0C, "Example"), ("2.5.4.3", 0x0C, "www.example.org"))
    var key = sequence(
        sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")),
        der(0x03, [0, 4] + [UInt8](repeating: 7, count: 64)))
    var extensions: [[UInt8]] = []
    /// Follows everything else in the signed part.
    var rest: [UInt8] = []
    var signature = der(0x03, [0, 1, 2, 3])

    var der: [UInt8] {
        let list = extensions.isEmpty ? [] : Self.der(0xA3, Self.sequence(extensions.flatMap { $0 }))
        let content =
            (version ?? []) + serialNumber + algorithm + issuer + Self.sequence(notBefore, notAfter) + subject + key
            + list + rest
        return Self.sequence(Self.sequence(content), outerAlgorithm ?? algorithm, signature)
    }

    /// An element: tag, length in its shortest form, content.
    static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        repeat {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while rest > 0
        if content.count > 0x7F { length.insert(0x80 | UInt8(length.count), at: 0) }
        return [tag] + length + content
    }

    static func sequence(_ elements: [UInt8]...) -> [UInt8] { der(0x30, elements.flatMap { $0 }) }

    static func oid(_ text: String) -> [UInt8] {
        var serializer = DER.Serializer()
        // Tests use valid identifiers only.
        if let identifier = try? ASN1ObjectIdentifier(dotRepresentation: text) { try? serializer.serialize(identifier) }
        return serializer.serializedBytes
    }

    static func name(_ parts: (type: String, tag: UInt8, text: String)...) -> [UInt8] {
        der(0x30, parts.flatMap { part($0.type, $0.tag, Array($0.text.utf8)) })
    }

    static func part(_ type: String, _ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        der(0x31, sequence(oid(type), der(tag, bytes)))
    }

    static func element(_ identifier: String, critical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        sequence(oid(identifier), critical ? der(0x01, [0xFF]) : [], der(0x04, value))
    }
}
