import ChatelaineModel
import SwiftASN1

/// Turns extensions that nothing here acts upon into fields for people and programs (behaviour/certificates.md, 31).
enum ExtensionFieldReader {
    private typealias Identifier = CertificateExtension.Identifier

    /// The fields of an extension; nil for an extension that is not parsed here.
    ///
    /// - Throws: if the content is malformed; the caller then reports its bytes.
    static func read(_ identifier: String, _ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField]? {
        switch identifier {
        case Identifier.alternativeName, Identifier.issuerAlternativeName:
            try GeneralNameReader.fields(node, "the alternative names")
        case Identifier.keyUsagePeriod: try period(node)
        case Identifier.nameConstraints: try constraints(node)
        case Identifier.distributionPoints, Identifier.freshestList: try distributionPoints(node)
        case Identifier.policies: try policies(node)
        case Identifier.policyMappings: try mappings(node)
        case Identifier.authorityKeyIdentifier: try authority(node)
        case Identifier.policyConstraints: try policyConstraints(node)
        case Identifier.inhibitAnyPolicy: try [number("Skip Certificates", node)]
        case Identifier.authorityAccess, Identifier.subjectAccess: try access(node)
        default: nil
        }
    }

    private static func number(_ label: String, _ node: ASN1Node) throws(CertificateFlaw) -> CertificateField {
        CertificateField(label, .text(String(try node.smallInteger(label))))
    }

    /// The key's identifier, or else its certificate by issuer and number (4.2.1.1).
    private static func authority(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the authority's key identifier"
        var (sequence, fields) = (try ElementReader(node, name), [CertificateField]())
        if let key = sequence.takeIfPresent(.tagged(0)) {
            fields.append(CertificateField("Key Identifier", .data(key.contentBytes)))
        }
        if let issuer = sequence.takeIfPresent(.tagged(1)) {
            fields += try GeneralNameReader.fields(issuer, name, prefix: "Authority Issuer ", as: .tagged(1))
        }
        if let number = sequence.takeIfPresent(.tagged(2)), let bytes = number.bytes {
            fields.append(CertificateField("Authority Serial Number", .text(Hexadecimal.text(of: Array(bytes)))))
        }
        try sequence.end()
        return fields
    }

    /// The dates as written; from the earlier standard (RFC 3280, 4.2.1.4).
    private static func period(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        var (sequence, fields) = (try ElementReader(node, "the period of the key"), [CertificateField]())
        for (tag, label) in [(ASN1Identifier.tagged(0), "Not Valid Before"), (.tagged(1), "Not Valid After")] {
            guard let date = sequence.takeIfPresent(tag) else { continue }
            fields.append(
                CertificateField(
                    label,
                    date.bytes.flatMap(AlternativeNameReader.plain).map { .text($0) } ?? .data(date.contentBytes)))
        }
        try sequence.end()
        return fields
    }

    /// 4.2.1.10
    private static func constraints(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the name constraints"
        var (sequence, fields) = (try ElementReader(node, name), [CertificateField]())
        for (tag, prefix) in [(ASN1Identifier.tagged(0), "Permitted "), (.tagged(1), "Excluded ")] {
            guard let subtrees = sequence.takeIfPresent(tag) else { continue }
            var list = try ElementReader(subtrees, name, as: tag)
            while !list.isAtEnd {
                var subtree = try ElementReader(try list.take(), name)
                fields.append(
                    try GeneralNameReader.field(try subtree.take(), name, prefix: prefix, isConstraint: true))
                guard fields.count <= CertificateLimits.maximumFields else { throw GeneralNameReader.tooMany(name) }
            }
        }
        try sequence.end()
        return fields
    }

    /// 4.2.1.13 and 4.2.1.15
    private static func distributionPoints(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the places of lists"
        var (list, fields) = (try ElementReader(node, name), [CertificateField]())
        while !list.isAtEnd {
            var point = try ElementReader(try list.take(), name)
            if let place = try point.takeTagged(0) {
                if place.identifier == .tagged(0) {
                    fields += try GeneralNameReader.fields(place, name, as: .tagged(0))
                } else {
                    fields.append(CertificateField("Name Relative To Issuer", .data(place.contentBytes)))
                }
            }
            if let reasons = point.takeIfPresent(.tagged(1)) {
                fields.append(CertificateField("Reasons", .data(reasons.contentBytes)))
            }
            if let issuer = point.takeIfPresent(.tagged(2)) {
                fields += try GeneralNameReader.fields(issuer, name, prefix: "CRL Issuer ", as: .tagged(2))
            }
            try point.end()
            guard fields.count <= CertificateLimits.maximumFields else { throw GeneralNameReader.tooMany(name) }
        }
        return fields
    }

    /// 4.2.1.5
    private static func mappings(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the mappings of policies"
        var (list, fields) = (try ElementReader(node, name), [CertificateField]())
        while !list.isAtEnd {
            var pair = try ElementReader(try list.take(), name)
            for label in ["Issuer Domain Policy", "Subject Domain Policy"] {
                fields.append(CertificateField(label, .text(try pair.take(.objectIdentifier).objectIdentifier(name))))
            }
            try pair.end()
            guard fields.count <= CertificateLimits.maximumFields else { throw GeneralNameReader.tooMany(name) }
        }
        return fields
    }

    /// 4.2.1.11
    private static func policyConstraints(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the constraints of policies"
        var (sequence, fields) = (try ElementReader(node, name), [CertificateField]())
        for (tag, label) in [
            (ASN1Identifier.tagged(0), "Require Explicit Policy"), (.tagged(1), "Inhibit Policy Mapping"),
        ] {
            guard let number = sequence.takeIfPresent(tag) else { continue }
            guard let bytes = number.bytes, (1...8).contains(bytes.count), bytes[bytes.startIndex] < 0x80 else {
                throw CertificateFlaw("\(name) have no number where one has to be")
            }
            fields.append(CertificateField(label, .text(String(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))))
        }
        try sequence.end()
        return fields
    }

    /// 4.2.2.1 and 4.2.2.2
    private static func access(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the places of information"
        var (list, fields) = (try ElementReader(node, name), [CertificateField]())
        while !list.isAtEnd {
            var description = try ElementReader(try list.take(), name)
            let method = try description.take(.objectIdentifier).objectIdentifier(name)
            fields.append(CertificateField("Access Method", .text(method)))
            fields.append(try GeneralNameReader.field(try description.take(), name))
            try description.end()
            guard fields.count <= CertificateLimits.maximumFields else { throw GeneralNameReader.tooMany(name) }
        }
        return fields
    }

    // MARK: Policies (4.2.1.4)

    private static let (statement, notice) = ("1.3.6.1.5.5.7.2.1", "1.3.6.1.5.5.7.2.2")

    private static func policies(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateField] {
        let name = "the policies"
        var (list, fields) = (try ElementReader(node, name), [CertificateField]())
        while !list.isAtEnd {
            var information = try ElementReader(try list.take(), name)
            let policy = try information.take(.objectIdentifier).objectIdentifier(name)
            fields.append(CertificateField("Policy Identifier", .text(policy)))
            if let qualifiers = information.takeIfPresent(.sequence) {
                var list = try ElementReader(qualifiers, name)
                while !list.isAtEnd {
                    fields.append(try qualifier(try list.take(), name))
                    guard fields.count <= CertificateLimits.maximumFields else {
                        throw GeneralNameReader.tooMany(name)
                    }
                }
            }
            try information.end()
            guard fields.count <= CertificateLimits.maximumFields else { throw GeneralNameReader.tooMany(name) }
        }
        return fields
    }

    private static func qualifier(_ node: ASN1Node, _ name: String) throws(CertificateFlaw) -> CertificateField {
        var sequence = try ElementReader(node, name)
        let identifier = try sequence.take(.objectIdentifier).objectIdentifier(name)
        let value = try sequence.take()
        try sequence.end()
        switch identifier {
        case statement:
            return CertificateField(
                "Certification Practice Statement",
                value.bytes.flatMap(AlternativeNameReader.plain).map { .text($0) } ?? .data(value.contentBytes))
        case notice:
            var parts = try ElementReader(value, name)
            // An optional reference comes before the text.
            _ = parts.takeIfPresent(.sequence)
            guard !parts.isAtEnd, let text = try parts.take().text else {
                return CertificateField("User Notice", .data(value.contentBytes))
            }
            return CertificateField("User Notice", .text(text))
        default: return CertificateField("Policy Qualifier \(identifier)", .data(value.contentBytes))
        }
    }
}
