/// Bounds of certificates that are read. What is beyond them is none.
package enum CertificateLimits {
    /// Bytes of one certificate: with the largest signatures that there are, and some thousand names, half of it.
    package static let maximumBytes = 128 * 1024
    /// Certificates that are read by one process, and what they may come to: chains, and files with many of them, in few rounds.
    package static let maximumBatch = 64
    package static let maximumBatchBytes = 512 * 1024
    /// Bytes of an object identifier: one with more says nothing to anybody.
    package static let maximumIdentifierBytes = 64
    /// The same in dots and digits: each byte is three digits at the most.
    package static let maximumIdentifierText = 4 * maximumIdentifierBytes
    package static let maximumExtensions = 256
    /// Attributes of a name.
    package static let maximumNameParts = 256
    /// Purposes of an extended key usage.
    package static let maximumPurposes = 256
    /// Names besides the subject's: certificates of large hosts have a thousand.
    package static let maximumAlternativeNames = 4096
    /// Fields of extensions that are shown, of one certificate: beyond these the bytes of an extension are told instead.
    package static let maximumFields = 1024
    /// Bytes of the name of a field, an identifier in it included.
    package static let maximumLabelBytes = 2 * maximumIdentifierText
    /// Bytes of the sentence that says why something is no certificate.
    package static let maximumReasonBytes = 200
    /// Names of issuers of one query, and the bytes of each: a server lists whom it trusts.
    package static let maximumIssuers = 256
    package static let maximumNameBytes = 16 * 1024
    /// Issuers above a certificate that are looked at (behaviour/certificates.md).
    package static let maximumChain = 10
    /// Certificates of one name that may stand above one that is judged: as many as a question has room for.
    package static let maximumIssuersOfOneName = TrustLimits.maximumCertificates
    /// Of those, such as are read by one request: what has room in a question, where each is as large as it may be.
    package static let issuersReadAtOnce = TrustLimits.maximumQuestionBytes / TrustLimits.maximumCertificateBytes
    /// Bytes of those that have no room any more, and are read for the sake of smaller ones behind them: some dozens of the largest.
    package static let maximumPassedOverBytes = 3 * TrustLimits.maximumQuestionBytes
    /// Certificates that are judged for one search (`kSecMatchPolicy`, `kSecMatchTrustedOnly`), each by a process of its own: some seconds of work.
    package static let maximumJudged = 256
    /// How long they may take together, in seconds, where the machine is busy and each waits for its turn.
    package static let maximumJudgingSeconds = 60
}
