import ChatelaineModel

/// What securityd and trustd, which looks at signatures, say to each other (`Documentation/formats/trust-protocol.md`).
///
/// securityd sends one ``TrustRequest``, a worker of trustd answers with one ``TrustReply`` and ends. Nothing in either is secret.
package enum TrustProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum TrustWire {
    package static let version: UInt64 = 6
    /// Workers of trustd at one time, with the one that waits for the next question.
    package static let maximumWorkers = 5
    /// A question about trust, what came along about revocation, what securityd adds, and what was fetched; with heads. All other requests are smaller.
    package static let maximumRequestBytes =
        TrustLimits.maximumQuestionBytes + TrustLimits.maximumRevocationBytes + TrustLimits.maximumKnowledgeBytes
        + EvidenceLimits.maximumFetchedBytes + EvidenceLimits.maximumIssuerBytes + 64 * 1024
    /// A report has the names of its certificate three times and its extensions twice, with what stands around each piece. Claims are far
    /// below: at most what was in the signature, with names twice.
    package static let maximumReplyBytes = 8 * CertificateLimits.maximumBatchBytes + 256 * 1024
}
