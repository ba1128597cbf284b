/// Limits of certificates that are read; input beyond them does not count as a certificate.
package enum CertificateLimits {
    /// Bytes of one certificate: twice what the largest signatures and some thousand names take.
    package static let maximumBytes = 128 * 1024
    /// Certificates that one process reads, and their bytes: chains, and large files in few rounds.
    package static let maximumBatch = 64
    package static let maximumBatchBytes = 512 * 1024
    /// Bytes of an object identifier; no known one is longer.
    package static let maximumIdentifierBytes = 64
    /// Characters of an object identifier in dots and digits: each byte takes at most three digits and a dot.
    static let maximumIdentifierText = 4 * maximumIdentifierBytes
    package static let maximumExtensions = 256
    /// Attributes of a name.
    package static let maximumNameParts = 256
    /// Purposes of an extended key usage.
    package static let maximumPurposes = 256
    /// Alternative names: certificates of large hosts have a thousand.
    package static let maximumAlternativeNames = 4096
    /// Fields of the extensions of one certificate; beyond these the bytes of an extension are shown instead.
    package static let maximumFields = 1024
    /// Bytes of the name of a field, which may include an identifier.
    package static let maximumLabelBytes = 2 * maximumIdentifierText
    /// Bytes of the sentence that says why something is no certificate.
    package static let maximumReasonBytes = 200
    /// Names of issuers in one query, and the bytes of each: a server lists the issuers that it trusts.
    package static let maximumIssuers = 256
    package static let maximumNameBytes = 16 * 1024
    /// Levels of issuers above a certificate that are searched (behaviour/certificates.md).
    package static let maximumChain = 10
    /// Certificates of one name that may be issuers of a certificate: as many as a question can hold.
    package static let maximumIssuersOfOneName = TrustLimits.maximumCertificates
    /// Issuers that one request reads: as many of the largest as a question can hold.
    package static let issuersReadAtOnce = TrustLimits.maximumQuestionBytes / TrustLimits.maximumCertificateBytes
    /// Bytes of issuers that are read although the question has no room for them: some dozens of the largest.
    ///
    /// They are read because a smaller one after them may fit.
    package static let maximumPassedOverBytes = 3 * TrustLimits.maximumQuestionBytes
    /// Certificates that one search evaluates (`kSecMatchPolicy`, `kSecMatchTrustedOnly`), each in its own process:
    /// some seconds of work.
    package static let maximumJudged = 256
    /// The time for all these evaluations, in seconds, if the machine is busy and each has to wait.
    package static let maximumJudgingSeconds = 60
}
