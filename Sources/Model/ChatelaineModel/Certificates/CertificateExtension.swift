/// One extension of a certificate.
package struct CertificateExtension: Hashable, Sendable {
    /// Its object identifier, in dots and digits.
    package var identifier: String
    package var isCritical: Bool
    /// The content of its octet string.
    package var value: [UInt8]
    /// Its content for people; nil if it was not read, or cannot be.
    package var fields: [CertificateField]?

    package init(identifier: String, isCritical: Bool, value: [UInt8], fields: [CertificateField]? = nil) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
        self.fields = fields
    }

    /// Object identifiers of the extensions that are read.
    package enum Identifier {
        package static let subjectKeyIdentifier = "2.5.29.14"
        package static let keyUsage = "2.5.29.15"
        package static let keyUsagePeriod = "2.5.29.16"
        package static let alternativeName = "2.5.29.17"
        package static let issuerAlternativeName = "2.5.29.18"
        package static let basicConstraints = "2.5.29.19"
        package static let nameConstraints = "2.5.29.30"
        package static let distributionPoints = "2.5.29.31"
        package static let policies = "2.5.29.32"
        package static let policyMappings = "2.5.29.33"
        package static let authorityKeyIdentifier = "2.5.29.35"
        package static let policyConstraints = "2.5.29.36"
        package static let extendedKeyUsage = "2.5.29.37"
        package static let freshestList = "2.5.29.46"
        package static let inhibitAnyPolicy = "2.5.29.54"
        package static let authorityAccess = "1.3.6.1.5.5.7.1.1"
        package static let subjectAccess = "1.3.6.1.5.5.7.1.11"
    }
}

extension CertificateExtension: CBORValue {
    private enum Field: UInt64, CBORField {
        case identifier = 1
        case isCritical = 2
        case value = 3
        case fields = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.identifier, identifier)
            $0.write(Field.isCritical, isCritical)
            $0.write(Field.value, value)
            if let fields { $0.writeArray(Field.fields, fields) }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(Field.identifier)
        let identifier = try map.reader.readText(limit: CertificateLimits.maximumIdentifierText)
        self.init(
            identifier: identifier, isCritical: try map.read(Field.isCritical), value: try map.read(Field.value),
            fields: try map.readArrayIfPresent(Field.fields, limit: CertificateLimits.maximumFields))
        guard value.count <= CertificateLimits.maximumBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

/// A name of the subject in addition to its distinguished name.
package struct AlternativeName: Hashable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CBORValue, CaseIterable, Sendable {
        case email = 1
        case host = 2
        case uri = 3
        /// An address in the notation for people.
        case address = 4
    }

    package var kind: Kind
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension AlternativeName: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 1
        case text = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.text, text)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(try map.read(Field.kind), try map.read(Field.text))
        reader = try map.end()
    }
}
