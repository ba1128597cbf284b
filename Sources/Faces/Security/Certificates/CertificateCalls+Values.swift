import ChatelaineModel

/// `SecCertificateCopyValues`, and the short and the long description.
extension CertificateCalls {
    /// Apple's object identifiers of the fields that are no extension.
    private enum Field {
        static let version = "2.16.840.1.113741.2.1.1.1.2"
        static let serialNumber = "2.16.840.1.113741.2.1.1.1.3"
        static let issuer = "2.16.840.1.113741.2.1.1.1.5"
        static let notBefore = "2.16.840.1.113741.2.1.1.1.6"
        static let notAfter = "2.16.840.1.113741.2.1.1.1.7"
        static let subject = "2.16.840.1.113741.2.1.1.1.8"
        static let keyAlgorithm = "2.16.840.1.113741.2.1.1.1.9"
        static let key = "2.16.840.1.113741.2.1.1.1.10"
        static let signatureAlgorithm = "2.16.840.1.113741.2.1.3.2.1"
        static let signature = "2.16.840.1.113741.2.1.3.2.2"
        /// Names in their normalised form.
        static let normalizedSubject = "2.16.840.1.113741.2.1.1.1.22"
        static let normalizedIssuer = "2.16.840.1.113741.2.1.1.1.23"
    }

    /// The common name of X.520.
    private static let commonName = "2.5.4.3"
    private static let text = "string", data = "data", number = "number", section = "section", array = "array"

    /// - Parameter keys: the requested values, nil for all; values that the certificate does not have are left out.
    package static func values(
        of certificate: SecCertificate, _ keys: QueryValue?
    ) throws(KeychainError) -> ResultTree {
        let report = try certificate.report()
        var wanted: Set<String>?
        if let keys {
            guard case .array(let elements) = keys else { throw KeychainError(.param, "the keys are no array") }
            wanted = []
            for element in elements {
                guard case .text(let identifier) = element else {
                    throw KeychainError(.param, "a key of a value is no string")
                }
                wanted?.insert(identifier)
            }
        }
        let all = fields(of: report) + report.extensions.map { ($0.identifier, value(of: $0, in: report)) }
        return .dictionary(all.filter { wanted?.contains($0.key) ?? true })
    }

    private static func fields(of report: CertificateReport) -> [(key: String, value: ResultTree)] {
        [
            (Field.version, property("Version", text, .text(String(report.version)))),
            (
                Field.serialNumber,
                property("Serial Number", text, .text(integer(report.serialNumber)))
            ),
            (
                Field.signatureAlgorithm,
                property(
                    "Signature Algorithm", section,
                    .array([property("Algorithm", text, .text(report.signatureAlgorithm))]))
            ),
            (Field.issuer, property("Issuer Name", section, parts(of: report.issuer))),
            (Field.notBefore, property("Not Valid Before", number, .real(date(report.notBefore)))),
            (Field.notAfter, property("Not Valid After", number, .real(date(report.notAfter)))),
            (Field.subject, property("Subject Name", section, parts(of: report.subject))),
            (commonName, property("Common Names", array, commonNames(of: report.subject))),
            (
                Field.keyAlgorithm,
                property(
                    "Public Key Algorithm", section,
                    .array([property("Algorithm", text, .text(report.key.algorithm))]))
            ),
            (Field.key, property("Public Key", data, .data(report.key.representation))),
            (Field.signature, property("Signature", data, .data(report.signature))),
            (Field.normalizedIssuer, property("Normalized Issuer", data, .data(report.issuer.normalized))),
            (Field.normalizedSubject, property("Normalized Subject", data, .data(report.subject.normalized))),
        ]
    }

    private static func parts(of name: CertificateName) -> ResultTree {
        .array(name.parts.map { property($0.identifier, text, .text($0.text ?? "")) })
    }

    private static func commonNames(of name: CertificateName) -> ResultTree {
        .array(name.parts.filter { $0.identifier == commonName }.map { .text($0.text ?? "") })
    }

    /// A number as Apple writes it: decimal if it has eight bytes or fewer, otherwise as bytes in hexadecimal digits.
    private static func integer(_ bytes: [UInt8]) -> String {
        guard bytes.count > MemoryLayout<UInt64>.size else {
            return String(bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    private static func value(of element: CertificateExtension, in report: CertificateReport) -> ResultTree {
        let critical = property("Critical", text, .text(element.isCritical ? "Yes" : "No"))
        func section(_ values: [ResultTree]) -> ResultTree {
            property(element.identifier, self.section, .array([critical] + values))
        }
        let raw = section(
            element.fields?.map(field) ?? [property("Data", data, .data(element.value))])
        switch element.identifier {
        case CertificateExtension.Identifier.keyUsage:
            return report.keyUsage.map {
                // Of a critical extension the highest bit is set, and the number has 32 bits with a sign.
                property(element.identifier, number, .number(Int64(Int32(truncatingIfNeeded: $0))))
            } ?? raw
        case CertificateExtension.Identifier.extendedKeyUsage:
            guard let purposes = report.purposes else { return raw }
            let contents = purposes.compactMap(content(of:))
            // One with an arc beyond 64 bits must not be missing from the list.
            guard contents.count == purposes.count else { return raw }
            return property(element.identifier, array, .array(contents.map { .data($0) }))
        case CertificateExtension.Identifier.basicConstraints:
            guard let authority = report.authority else { return raw }
            let isOne = property("Certificate Authority", text, .text(authority.isAuthority ? "Yes" : "No"))
            let length = authority.pathLength.map { property("Path Length Constraint", text, .text(String($0))) }
            return section([isOne] + [length].compactMap { $0 })
        case CertificateExtension.Identifier.subjectKeyIdentifier:
            return report.subjectKeyIdentifier.map { section([property("Key Identifier", data, .data($0))]) } ?? raw
        // With too many names for `fields`, only the names that programs compare.
        case CertificateExtension.Identifier.alternativeName
        where element.fields == nil && !report.alternativeNames.isEmpty:
            return section(report.alternativeNames.map { property($0.kind.label, text, .text($0.text)) })
        default: return raw
        }
    }

    /// The content of an object identifier in DER (X.690, 8.19); nil where a part is no number.
    private static func content(of identifier: String) -> [UInt8]? {
        let parts = identifier.split(separator: ".").map { UInt64($0) }
        guard parts.count > 1, let first = parts[0], let second = parts[1], first < 3, second < 1 << 32 else {
            return nil
        }
        var content: [UInt8] = []
        for part in [first * 40 + second] + parts.dropFirst(2) {
            guard var rest = part else { return nil }
            var digits = [UInt8(rest & 0x7F)]
            while rest > 0x7F {
                rest >>= 7
                digits.append(UInt8(rest & 0x7F) | 0x80)
            }
            content += digits.reversed()
        }
        return content
    }

    private static func field(_ field: CertificateField) -> ResultTree {
        switch field.value {
        case .text(let text): property(field.label, self.text, .text(text))
        case .data(let bytes): property(field.label, data, .data(bytes))
        }
    }

    private static func property(_ label: String, _ type: String, _ value: ResultTree) -> ResultTree {
        .dictionary([
            ("label", .text(label)), ("localized label", .text(label)), ("type", .text(type)), ("value", value),
        ])
    }

    // MARK: Descriptions

    package static func shortDescription(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        let report = try certificate.report()
        return .text(report.summary ?? report.subject.line)
    }

    package static func longDescription(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        let report = try certificate.report()
        return .text(
            "\(report.subject.line); issued by \(report.issuer.line); serial number \(Hexadecimal.text(of: report.serialNumber))"
        )
    }
}

extension AlternativeName.Kind {
    fileprivate var label: String {
        switch self {
        case .email: "Email Address"
        case .host: "DNS Name"
        case .uri: "URI"
        case .address: "IP Address"
        }
    }
}
