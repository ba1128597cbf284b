/// Limits of an evaluation of trust; input beyond them is refused before it is read.
package enum TrustLimits {
    /// Certificates that a program gives; the limit holds for those to evaluate and for its anchors alike.
    package static let maximumCertificates = 1000
    /// Bytes of one certificate, three times the size of the largest known one of a server.
    package static let maximumCertificateBytes = 64 * 1024
    /// Bytes of all certificates and answers of one evaluation, anchors included.
    package static let maximumQuestionBytes = 1024 * 1024
    /// Policies of one evaluation.
    package static let maximumPolicies = 8
    /// OCSP responses, and revocation lists; the limit holds for each of the two.
    static let maximumRevocations = 16
    /// Bytes of all OCSP responses and lists of revoked certificates together.
    package static let maximumRevocationBytes = 1024 * 1024
    /// Bytes of a host name or an e-mail address.
    package static let maximumNameBytes = 1024
    /// Certificates of a chain, the anchor included; longer chains are not followed.
    package static let maximumChain = 16
    /// Certificates of the distribution: it has some hundred and fifty.
    package static let maximumRoots = 1000
    /// Bytes of the distribution's file of certificates.
    package static let maximumBundleBytes = 2 * 1024 * 1024
    /// Bytes that securityd adds to a question: the roots and settings that concern it.
    package static let maximumKnowledgeBytes = 1024 * 1024
    /// Certificates with settings, of one domain.
    package static let maximumSettings = 256
    /// Bytes of a file of root's settings: a certificate as text, and its lines.
    package static let maximumSettingFileBytes = 2 * maximumCertificateBytes + 16 * 1024
    /// Names of any kind in root's folder of settings.
    package static let maximumSettingNames = 4 * maximumSettings
    /// Constraints of the settings of one certificate.
    package static let maximumConstraints = 32
    /// Bytes of a certificate's name in messages.
    package static let maximumSummaryBytes = 256
}
