import ChatelaineModel
import Crypto
import FoundationEssentials
import SignatureFormat
import SwiftASN1
import X509

/// A certificate with its often-used parts, parsed once.
final class ReadCertificate: Sendable {
    let certificate: Certificate
    let der: [UInt8]
    /// A printable summary for people.
    let summary: String
    /// The parsed extensions; nil if one of them cannot be read.
    let extensions: ReadExtensions?
    let signature: SignatureAlgorithm
    let (subjectName, issuerName): (ComparableName, ComparableName)
    /// Whether ``certificate`` is a ``ReadableCopy``, for which swift-certificates finds no issuer.
    let isCopied: Bool

    /// Nil unless `der` is exactly one certificate with a supported key, signed by a supported algorithm.
    convenience init?(_ der: [UInt8]) {
        self.init(der, isAnchor: false)
    }

    /// Reads an anchor, which may be signed by any algorithm.
    convenience init?(anchor der: [UInt8]) {
        self.init(der, isAnchor: true)
    }

    private convenience init?(_ der: [UInt8], isAnchor: Bool) {
        guard der.count <= TrustLimits.maximumCertificateBytes else { return nil }
        let node = try? DER.parse(der)
        let signature = SignatureAlgorithm(ofSigned: node)
        if let node, let certificate = try? Certificate(derEncoded: node) {
            self.init(certificate, der, signature, isCopied: false)
        } else if isAnchor || signature.isOurs,
            let certificate = try? Certificate(derEncoded: try ReadableCopy.bytes(of: der))
        {
            self.init(certificate, der, signature, isCopied: true)
        } else {
            return nil
        }
    }

    private init(_ certificate: Certificate, _ der: [UInt8], _ signature: SignatureAlgorithm, isCopied: Bool) {
        self.isCopied = isCopied
        self.certificate = certificate
        self.der = der
        summary = certificate.subject.summary
        extensions = try? ReadExtensions(certificate)
        self.signature = signature
        subjectName = ComparableName(certificate.subject)
        issuerName = ComparableName(certificate.issuer)
    }

    /// Seconds since 1970.
    var validFrom: Int64 { Self.seconds(certificate.notValidBefore) }
    var validUntil: Int64 { Self.seconds(certificate.notValidAfter) }

    var isSelfIssued: Bool { issuerName == subjectName }
    var isSelfSigned: Bool { isSelfIssued && isSigned(by: self) }

    /// Whether the issuer's key has signed the certificate; nothing else about the issuer is checked.
    func isSigned(by issuer: ReadCertificate) -> Bool {
        let key = issuer.certificate.publicKey
        guard isCopied else { return key.isValidSignature(certificate.signature, for: certificate) }
        guard let signed = try? SignedParts.of(der) else { return false }
        return signature.verifies(signed.signature, of: Array(signed.body.encodedBytes), by: key)
    }

    /// Whether the version is older than 3, which has no extensions to mark an issuer.
    var isOld: Bool { certificate.version != .v3 }

    var subjectBytes: [UInt8] { certificate.subject.bytes }
    var subjectOfIssuer: [UInt8] { certificate.issuer.bytes }

    var key: TrustVerdict.Key? {
        let key = certificate.publicKey
        let kind: TrustVerdict.Key.Kind =
            if P256.Signing.PublicKey(key) != nil {
                .p256
            } else if P384.Signing.PublicKey(key) != nil {
                .p384
            } else if P521.Signing.PublicKey(key) != nil {
                .p521
            } else if Curve25519.Signing.PublicKey(key) != nil {
                .ed25519
            } else {
                .rsa
            }
        return TrustVerdict.Key(kind, Array(key.subjectPublicKeyInfoBytes))
    }

    /// Years of a certificate have four digits, so this cannot overflow; the bounds are a second safeguard.
    private static func seconds(_ date: Date) -> Int64 {
        Int64(max(-1e15, min(1e15, date.timeIntervalSince1970.rounded(.down))))
    }
}

extension DistinguishedName {
    /// The DER of the name.
    var bytes: [UInt8] {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(self)) != nil else { return [] }
        return serializer.serializedBytes
    }

    /// The common name, or else the organizational unit, organization or e-mail address, as Apple shows a certificate.
    var summary: String {
        let wanted: [ASN1ObjectIdentifier] = [
            .RDNAttributeType.commonName, .RDNAttributeType.organizationalUnitName,
            .RDNAttributeType.organizationName, .RDNAttributeType.emailAddress,
        ]
        let attributes = flatMap { $0 }
        for type in wanted {
            if let text = attributes.last(where: { $0.type == type }).flatMap({ String($0.value) }), !text.isEmpty {
                return PrintableText.cut(text, to: TrustLimits.maximumSummaryBytes)
            }
        }
        return attributes.isEmpty ? "unnamed" : PrintableText.cut("\(self)", to: TrustLimits.maximumSummaryBytes)
    }
}
