import ChatelaineModel
import SwiftASN1
import X509

/// A certificate that swift-certificates refuses: its subject, and whether its key is merely too short, or the digest
/// of its signature too weak.
///
/// swift-certificates refuses to read RSA keys of fewer than 2048 bits, and unknown kinds of keys and signatures.
struct UnreadableCertificate {
    let der: [UInt8]
    /// Nil if it cannot be read.
    let subject: ComparableName?
    private let summary: String
    private let defect: TrustDefect

    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    private static let shortestRSA = 2048

    init(_ der: [UInt8]) {
        self.der = der
        let parts = der.count <= TrustLimits.maximumCertificateBytes ? try? Self.parts(of: der) : nil
        subject = parts.map { ComparableName($0.subject) }
        summary = parts?.subject.summary ?? "unreadable"
        defect =
            if parts?.rsaBits.map({ $0 < Self.shortestRSA }) ?? false {
                .weakKey
            } else if SignatureAlgorithm(ofSigned: der).isWeak, ReadCertificate(anchor: der) != nil {
                // Everything else can be read.
                .weakDigest
            } else {
                .unreadable
            }
    }

    var link: TrustVerdict.Link {
        TrustVerdict.Link(
            certificate: Array(der.prefix(TrustLimits.maximumCertificateBytes)), summary: summary, defects: [defect])
    }

    private struct Parts {
        var subject: DistinguishedName
        var rsaBits: Int?
    }

    /// The fields in their order: version, serial number, algorithm, issuer, validity, subject, key.
    private static func parts(of der: [UInt8]) throws -> Parts {
        try DER.sequence(try DER.parse(der), identifier: .sequence) { outer in
            guard let toBeSigned = outer.next() else { throw Missing() }
            while outer.next() != nil {}
            return try DER.sequence(toBeSigned, identifier: .sequence) { fields in
                _ = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { $0 }
                for _ in 0..<4 { guard fields.next() != nil else { throw Missing() } }
                guard let subject = fields.next(), let key = fields.next() else { throw Missing() }
                while fields.next() != nil {}
                return Parts(subject: try DistinguishedName(derEncoded: subject), rsaBits: try? bits(of: key))
            }
        }
    }

    /// Nil if it is no RSA key.
    private static func bits(of key: ASN1Node) throws -> Int? {
        try DER.sequence(key, identifier: .sequence) { fields in
            guard let algorithm = fields.next() else { throw Missing() }
            let text = try ASN1BitString(derEncoded: &fields)
            let identifier = try DER.sequence(algorithm, identifier: .sequence) { parts in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                while parts.next() != nil {}
                return identifier
            }
            guard identifier == rsa else { return nil }
            return try DER.sequence(try DER.parse(text.bytes), identifier: .sequence) { numbers in
                let modulus = try ArraySlice<UInt8>(derEncoded: &numbers).drop { $0 == 0 }
                while numbers.next() != nil {}
                return modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
            }
        }
    }
}

/// The error for a required field that is missing or unsupported.
struct Missing: Error {}
