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
    let signature: SignatureAlgorithmName

    /// Nil unless `der` is exactly one certificate with a supported key.
    init?(_ der: [UInt8]) {
        guard der.count <= TrustLimits.maximumCertificateBytes, let certificate = try? Certificate(derEncoded: der)
        else { return nil }
        self.certificate = certificate
        self.der = der
        summary = certificate.subject.summary
        extensions = try? ReadExtensions(certificate)
        signature = SignatureAlgorithmName(ofSigned: der)
    }

    /// Seconds since 1970.
    var validFrom: Int64 { Self.seconds(certificate.notValidBefore) }
    var validUntil: Int64 { Self.seconds(certificate.notValidAfter) }

    var isSelfIssued: Bool { certificate.issuer == certificate.subject }
    var isSelfSigned: Bool {
        isSelfIssued && certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
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

/// The extensions of a certificate.
struct ReadExtensions: Sendable {
    /// Nil if the certificate has no such extension.
    var constraints: BasicConstraints?
    var keyUsage: KeyUsage?
    var purposes: [ASN1ObjectIdentifier]?
    var names: [GeneralName]
    var nameConstraints: NameConstraints?
    /// Whether there is a critical extension that is not supported here.
    var hasUnknownCritical: Bool

    /// The supported extensions. Certificate policies are among them, since any policy is accepted; constraints that
    /// require a policy are not.
    private static let known: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints,
        .X509ExtensionID.authorityKeyIdentifier, .X509ExtensionID.subjectKeyIdentifier,
        .X509ExtensionID.authorityInformationAccess, [2, 5, 29, 32],
    ]

    init(_ certificate: Certificate) throws {
        let extensions = certificate.extensions
        constraints = try extensions.basicConstraints
        keyUsage = try extensions.keyUsage
        purposes = try extensions.extendedKeyUsage.map { usage in usage.map { ASN1ObjectIdentifier($0) } }
        names = try extensions.subjectAlternativeNames.map { Array($0) } ?? []
        nameConstraints = try extensions.nameConstraints
        hasUnknownCritical = extensions.contains { $0.critical && !Self.known.contains($0.oid) }
    }

    var isAuthority: Bool {
        if case .isCertificateAuthority? = constraints { true } else { false }
    }

    /// The most issuers that may be below it; nil for any number.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length)? = constraints { length } else { nil }
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
