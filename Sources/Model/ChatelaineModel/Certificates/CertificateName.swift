/// A distinguished name: that of a certificate's subject or issuer.
package struct CertificateName: Hashable, Sendable {
    /// One attribute of the name, such as the common name.
    package struct Part: Hashable, Sendable {
        /// The object identifier of the attribute, in dots and digits.
        package var identifier: String
        /// Nil for a value that is no text, or is not encoded as its type demands.
        package var text: String?

        package init(identifier: String, text: String?) {
            self.identifier = identifier
            self.text = text
        }
    }

    /// The DER of the name in the certificate.
    package var encoded: [UInt8]
    /// Apple's normalised form, by which names are compared: DER without the header of the outer sequence.
    package var normalized: [UInt8]
    /// The attributes in the order of the certificate.
    package var parts: [Part]

    package init(encoded: [UInt8], normalized: [UInt8], parts: [Part]) {
        self.encoded = encoded
        self.normalized = normalized
        self.parts = parts
    }

    /// The normalised form with the header of the outer sequence.
    package var normalizedSequence: [UInt8] { Self.sequence(of: normalized) }

    private static func sequence(of content: [UInt8]) -> [UInt8] {
        guard content.count > 0x7F else { return [0x30, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x30, 0x80 | UInt8(length.count)] + length + content
    }

    /// The texts of an attribute, in the order of the certificate.
    package func texts(of identifier: String) -> [String] {
        parts.filter { $0.identifier == identifier }.compactMap(\.text)
    }

    /// The last text of an attribute, which is the most specific.
    package func text(of identifier: String) -> String? { texts(of: identifier).last }

    package var commonName: String? { text(of: NameAttribute.commonName) }

    /// The name on one line, the most specific attribute first, as in RFC 4514; not for comparing.
    package var line: String {
        parts.reversed().map { part in
            let name = NameAttribute.shortNames[part.identifier] ?? part.identifier
            return "\(name)=\(part.text ?? "#")"
        }.joined(separator: ", ")
    }
}

/// Object identifiers of the attributes of names.
package enum NameAttribute {
    package static let commonName = "2.5.4.3"
    package static let country = "2.5.4.6"
    package static let locality = "2.5.4.7"
    package static let state = "2.5.4.8"
    package static let organization = "2.5.4.10"
    package static let organizationalUnit = "2.5.4.11"
    package static let emailAddress = "1.2.840.113549.1.9.1"

    static let shortNames = [
        commonName: "CN", country: "C", locality: "L", state: "ST", organization: "O", organizationalUnit: "OU",
        emailAddress: "E", "2.5.4.5": "serialNumber", "2.5.4.9": "street", "0.9.2342.19200300.100.1.25": "DC",
        "0.9.2342.19200300.100.1.1": "UID",
    ]
}

extension CertificateName: CBORValue {
    private enum Field: UInt64, CBORField {
        case encoded = 1
        case normalized = 2
        case parts = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.encoded, encoded)
            $0.write(Field.normalized, normalized)
            $0.writeArray(Field.parts, parts)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            encoded: try map.read(Field.encoded), normalized: try map.read(Field.normalized),
            parts: try map.readArray(Field.parts, limit: CertificateLimits.maximumNameParts))
        guard encoded.count <= CertificateLimits.maximumBytes, normalized.count <= CertificateLimits.maximumBytes
        else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension CertificateName.Part: CBORValue {
    private enum Field: UInt64, CBORField {
        case identifier = 1
        case text = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.identifier, identifier)
            $0.write(Field.text, text)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(Field.identifier)
        let identifier = try map.reader.readText(limit: CertificateLimits.maximumIdentifierText)
        self.init(identifier: identifier, text: try map.readIfPresent(Field.text))
        reader = try map.end()
    }
}
