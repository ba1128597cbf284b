import ChatelaineModel

/// The messages between securityd and trustd, which verifies signatures and certificates
/// (`Documentation/formats/trust-protocol.md`).
///
/// securityd sends one ``TrustRequest``; a worker of trustd answers with one ``TrustReply`` and ends, or waits for the
/// next chain to evaluate. Neither contains a secret.
package enum TrustProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum TrustWire {
    package static let version: UInt64 = 7
    /// Workers of trustd at one time: four with a question, one that waits for the next question, and two that wait
    /// for another one of the same purpose.
    package static let maximumWorkers = 7
    /// The largest request: a question about trust with its revocation data, securityd's knowledge, fetched evidence,
    /// and heads.
    package static let maximumRequestBytes =
        TrustLimits.maximumQuestionBytes + TrustLimits.maximumRevocationBytes + TrustLimits.maximumKnowledgeBytes
        + EvidenceLimits.maximumFetchedBytes + EvidenceLimits.maximumIssuerBytes + 64 * 1024
    /// The largest reply: a report with the names of its certificate three times, its extensions twice, and the fields
    /// around them. Claims are far smaller: at most the content of the signature, with names twice.
    package static let maximumReplyBytes = 8 * CertificateLimits.maximumBatchBytes + 256 * 1024
}
