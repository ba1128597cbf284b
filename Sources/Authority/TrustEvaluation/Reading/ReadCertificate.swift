import ChatelaineModel
import Crypto
import FoundationEssentials
import SignatureFormat
import SwiftASN1
import X509

/// A certificate with what is asked of it again and again, read once.
final class ReadCertificate: Sendable {
    let certificate: Certificate
    let der: [UInt8]
    /// For people, printable.
    let summary: String
    /// What its extensions say; nil where one of them cannot be read.
    let extensions: ReadExtensions?
    let signature: SignatureAlgorithmName

    /// Nil unless `der` is one certificate, of a key that is known here, and nothing besides.
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

    /// Whether it is one of the first version, which has no extensions to say that it may issue others.
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

    /// Years of a certificate have four digits, so that this never overflows; it is bounded all the same.
    private static func seconds(_ date: Date) -> Int64 {
        Int64(max(-1e15, min(1e15, date.timeIntervalSince1970.rounded(.down))))
    }
}

/// What extensions of a certificate say.
struct ReadExtensions: Sendable {
    /// Nil where it does not say.
    var constraints: BasicConstraints?
    var keyUsage: KeyUsage?
    var purposes: [ASN1ObjectIdentifier]?
    var names: [GeneralName]
    var nameConstraints: NameConstraints?
    /// That something has to be understood which is not understood here.
    var hasUnknownCritical: Bool

    /// What is understood. Policies of certificates are, since any of them is accepted; that one be demanded is not.
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

    /// How many issuers may be below it; nil for any number.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length)? = constraints { length } else { nil }
    }
}

extension DistinguishedName {
    /// As it stands in a certificate.
    var bytes: [UInt8] {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(self)) != nil else { return [] }
        return serializer.serializedBytes
    }

    /// The common name, or else the organizational unit or organization, as Apple shows a certificate.
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
