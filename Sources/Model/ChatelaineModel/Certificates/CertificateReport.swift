/// What trustd has read in a certificate: all that is said about it anywhere else.
///
/// It says what the certificate claims, and nothing of whether that is true.
package struct CertificateReport: Hashable, Sendable {
    /// Whether it may issue others, and how many below those.
    package struct Authority: Hashable, Sendable {
        package var isAuthority: Bool
        package var pathLength: UInt64?

        package init(isAuthority: Bool, pathLength: UInt64? = nil) {
            self.isAuthority = isAuthority
            self.pathLength = pathLength
        }
    }

    /// 1 to 3.
    package var version: UInt64
    /// The bytes of the integer, sign included.
    package var serialNumber: [UInt8]
    /// Object identifier, in dots and digits.
    package var signatureAlgorithm: String
    package var issuer: CertificateName
    package var subject: CertificateName
    /// Seconds since 1970, both included.
    package var notBefore: Int64
    package var notAfter: Int64
    package var key: CertificateKey
    package var subjectKeyIdentifier: [UInt8]?
    package var authorityKeyIdentifier: [UInt8]?
    /// The bits of `SecKeyUsage`, with ``criticalUsage`` where the extension is critical; nil without it.
    package var keyUsage: UInt64?
    /// Object identifiers of the extended key usage; nil without it.
    package var purposes: [String]?
    /// Nil without basic constraints.
    package var authority: Authority?
    package var alternativeNames: [AlternativeName]
    /// All of them, in their order.
    package var extensions: [CertificateExtension]
    /// Of whoever issued it; nobody has looked whether it is theirs.
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

    /// `SecCertificateCopyEmailAddresses`: those among the other names, then those of the subject; each once.
    package var emailAddresses: [String] {
        var seen: Set<String> = []
        let all =
            alternativeNames.filter { $0.kind == .email }.map(\.text)
            + subject.texts(of: NameAttribute.emailAddress)
        return all.filter { seen.insert($0).inserted }
    }

    /// `SecCertificateCopySubjectSummary`: the first that there is of common name, unit, organization, address and another name.
    package var summary: String? {
        for identifier in [NameAttribute.commonName, NameAttribute.organizationalUnit, NameAttribute.organization] {
            if let text = subject.text(of: identifier), !text.isEmpty { return text }
        }
        return emailAddresses.first ?? alternativeNames.first?.text ?? subject.parts.compactMap(\.text).last
    }

    /// Whether it names itself as its issuer; nobody has looked whether it has signed itself.
    package var isSelfIssued: Bool { issuer.normalized == subject.normalized }

    /// Whether it is for a time.
    ///
    /// - Parameter date: seconds since 1970.
    package func isValid(at date: Double) -> Bool { Double(notBefore) <= date && date <= Double(notAfter) }
}
