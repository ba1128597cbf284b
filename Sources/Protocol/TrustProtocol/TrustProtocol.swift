import ChatelaineModel

/// What securityd and trustd, which looks at signatures, say to each other (`Documentation/formats/trust-protocol.md`).
///
/// securityd sends one ``TrustRequest``, trustd answers with one ``TrustReply`` and ends. Nothing in either is secret.
package enum TrustProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum TrustWire {
    package static let version: UInt64 = 1
    /// A signature, an anchor and what stands around them.
    package static let maximumRequestBytes =
        SignatureLimits.maximumFileBytes + SignatureLimits.maximumAnchorBytes + 4 * 1024
    /// Claims are at most what was in the signature; names are in them twice.
    package static let maximumReplyBytes = 2 * SignatureLimits.maximumFileBytes + 4 * 1024
}
