import ChatelaineModel
import SwiftASN1

/// Reads the extensions of a certificate.
///
/// Malformed content is not interpreted, and its bytes are still reported.
enum ExtensionReader {
    static func read(_ node: ASN1Node) throws(CertificateFlaw) -> [CertificateExtension] {
        var list = try ElementReader(node, "the list of extensions")
        var extensions: [CertificateExtension] = []
        var seen: Set<String> = []
        while !list.isAtEnd {
            guard extensions.count < CertificateLimits.maximumExtensions else {
                throw CertificateFlaw("it has more than \(CertificateLimits.maximumExtensions) extensions")
            }
            var element = try ElementReader(try list.take(), "an extension")
            let identifier = try element.take(.objectIdentifier).objectIdentifier("an extension")
            let isCritical = try element.takeIfPresent(.boolean).map(flag) ?? false
            let value = try element.take(.octetString).octets("an extension")
            try element.end()
            // Two readers that pick the first and the last of two extensions would see different certificates.
            guard seen.insert(identifier).inserted else { throw CertificateFlaw("an extension stands twice") }
            extensions.append(CertificateExtension(identifier: identifier, isCritical: isCritical, value: value))
        }
        return extensions
    }

    private static func flag(_ node: ASN1Node) throws(CertificateFlaw) -> Bool {
        switch node.bytes.map(Array.init) {
        case [0x00]: false
        case [0xFF]: true
        default: throw CertificateFlaw("an extension says neither that it is critical nor that it is not")
        }
    }

    /// Adds the content of the extensions to a report.
    static func interpret(_ report: inout CertificateReport) {
        var room = CertificateLimits.maximumFields
        for (index, element) in report.extensions.enumerated() {
            guard let node = try? DER.parse(element.value) else { continue }
            if let fields = try? ExtensionFieldReader.read(element.identifier, node), fields.count <= room {
                report.extensions[index].fields = fields
                room -= fields.count
            }
            switch element.identifier {
            case CertificateExtension.Identifier.subjectKeyIdentifier:
                report.subjectKeyIdentifier = try? node.octets("the key identifier")
            case CertificateExtension.Identifier.authorityKeyIdentifier:
                report.authorityKeyIdentifier = try? authorityKeyIdentifier(node)
            case CertificateExtension.Identifier.keyUsage:
                report.keyUsage = keyUsage(node).map {
                    $0 | (element.isCritical ? CertificateReport.criticalUsage : 0)
                }
            case CertificateExtension.Identifier.extendedKeyUsage: report.purposes = try? purposes(node)
            case CertificateExtension.Identifier.basicConstraints: report.authority = try? authority(node)
            case CertificateExtension.Identifier.alternativeName:
                report.alternativeNames = (try? AlternativeNameReader.read(node)) ?? []
            default: break
            }
        }
    }

    private static func authorityKeyIdentifier(_ node: ASN1Node) throws(CertificateFlaw) -> [UInt8]? {
        var sequence = try ElementReader(node, "the authority's key identifier")
        return sequence.takeIfPresent(.tagged(0))?.bytes.map(Array.init)
    }

    /// The first bit of the string is the lowest bit of the number, as in Apple's constants.
    private static func keyUsage(_ node: ASN1Node) -> UInt64? {
        guard node.identifier == .bitString, let bytes = node.bytes, let unused = bytes.first, unused < 8 else {
            return nil
        }
        var usage: UInt64 = 0
        for (place, byte) in bytes.dropFirst().prefix(2).enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { usage |= 1 << UInt64(place * 8 + bit) }
        }
        return usage & 0x1FF
    }

    private static func purposes(_ node: ASN1Node) throws(CertificateFlaw) -> [String] {
        var list = try ElementReader(node, "the extended key usage")
        var purposes: [String] = []
        while !list.isAtEnd {
            guard purposes.count < CertificateLimits.maximumPurposes else {
                throw CertificateFlaw("the extended key usage is too long")
            }
            purposes.append(try list.take(.objectIdentifier).objectIdentifier("the extended key usage"))
        }
        return purposes
    }

    private static func authority(_ node: ASN1Node) throws(CertificateFlaw) -> CertificateReport.Authority {
        var constraints = try ElementReader(node, "the basic constraints")
        let isAuthority = try constraints.takeIfPresent(.boolean).map(flag) ?? false
        let length = try constraints.takeIfPresent(.integer).map { (node) throws(CertificateFlaw) in
            try node.smallInteger("the path length")
        }
        try constraints.end()
        return CertificateReport.Authority(isAuthority: isAuthority, pathLength: length)
    }
}
