/// The content of a certificate as trustd has read it; every other part of the project uses this.
///
/// It has the claims of the certificate, which are not verified.
package struct CertificateReport: Hashable, Sendable {
    /// Whether the certificate may issue others, and how many levels below those.
    package struct Authority: Hashable, Sendable {
        package var isAuthority: Bool
        package var pathLength: UInt64?

        package init(isAuthority: Bool, pathLength: UInt64? = nil) {
            self.isAuthority = isAuthority
            self.pathLength = pathLength
        }
    }

    /// The version, 1 to 3.
    package var version: UInt64
    /// The bytes of the serial number, sign included.
    package var serialNumber: [UInt8]
    /// The object identifier of the signature's algorithm, in dots and digits.
    package var signatureAlgorithm: String
    package var issuer: CertificateName
    package var subject: CertificateName
    /// The validity in seconds since 1970, both ends included.
    package var notBefore: Int64
    package var notAfter: Int64
    package var key: CertificateKey
    package var subjectKeyIdentifier: [UInt8]?
    package var authorityKeyIdentifier: [UInt8]?
    /// The bits of `SecKeyUsage`, with ``criticalUsage`` if the extension is critical; nil without the extension.
    package var keyUsage: UInt64?
    /// Object identifiers of the extended key usage; nil without the extension.
    package var purposes: [String]?
    /// Nil without basic constraints.
    package var authority: Authority?
    package var alternativeNames: [AlternativeName]
    /// All extensions, in the order of the certificate.
    package var extensions: [CertificateExtension]
    /// The signature of the issuer, which is not verified.
    package var signature: [UInt8] = []

    package static let criticalUsage: UInt64 = 1 << 31

    package init(
        version: UInt64, serialNumber: [UInt8], signatureAlgorithm: String, issuer: CertificateName,
        subject: CertificateName, notBefore: Int64, notAfter: Int64, key: CertificateKey,
        alternativeNames: [AlternativeName] = [], extensions: [CertificateExtension] = []
    ) {
        self.version = version
        self.serialNumber = serialNumber
        self.signatureAlgorithm = signatureAlgorithm
        self.issuer = issuer
        self.subject = subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.key = key
        self.alternativeNames = alternativeNames
        self.extensions = extensions
    }

    /// The result of `SecCertificateCopyEmailAddresses`: those of the alternative names, then those of the subject,
    /// each once.
    package var emailAddresses: [String] {
        var seen: Set<String> = []
        let all =
            alternativeNames.filter { $0.kind == .email }.map(\.text)
            + subject.texts(of: NameAttribute.emailAddress)
        return all.filter { seen.insert($0).inserted }
    }

    /// The result of `SecCertificateCopySubjectSummary`.
    ///
    /// It is the first that exists of common name, unit, organization, e-mail address, alternative name and any other
    /// text.
    package var summary: String? {
        for identifier in [NameAttribute.commonName, NameAttribute.organizationalUnit, NameAttribute.organization] {
            if let text = subject.text(of: identifier), !text.isEmpty { return text }
        }
        return emailAddresses.first ?? alternativeNames.first?.text ?? subject.parts.compactMap(\.text).last
    }

    /// Whether the certificate names itself as its issuer; the signature is not verified.
    package var isSelfIssued: Bool { issuer.normalized == subject.normalized }

    /// Whether the certificate is valid at a time.
    ///
    /// - Parameter date: seconds since 1970.
    package func isValid(at date: Double) -> Bool { Double(notBefore) <= date && date <= Double(notAfter) }
}
