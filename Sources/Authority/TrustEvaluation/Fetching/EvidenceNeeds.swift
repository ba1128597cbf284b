import ChatelaineModel
import TrustProtocol

/// What could make another verdict of a chain, and who may have it.
enum EvidenceNeeds {
    /// Nothing where the chain is not to be trusted whatever servers say: a stranger's certificates name the servers, and whoever sends a chain that can come to
    /// nothing has this machine ask nobody.
    static func of(
        _ found: ExaminedChain, _ question: TrustQuestion, _ methods: RevocationMethods
    ) -> [EvidenceNeed] {
        guard methods.allowsNetwork, found.certificates.count <= TrustLimits.maximumChain,
            !found.defects.contains(where: { $0.contains { $0.isFatal || $0 == .denied } })
        else { return [] }
        let needs = found.isAnchored ? answers(found, methods) : question.fetchesIssuers ? issuer(found) : []
        return Array(needs.prefix(EvidenceLimits.maximumNeeds))
    }

    /// The one that is next in a chain that leads to no anchor.
    private static func issuer(_ found: ExaminedChain) -> [EvidenceNeed] {
        guard let last = found.certificates.last, !last.isSelfIssued,
            found.certificates.count < TrustLimits.maximumChain
        else { return [] }
        let sources = NamedSources(last.certificate).addresses(of: .issuer).map { EvidenceSource(.issuer, at: $0) }
        return sources.isEmpty ? [] : [EvidenceNeed(sources)]
    }

    /// About each certificate of which nobody has said whether it was revoked; those nearer to the anchor first. Whoever holds one of these has chosen the
    /// servers of all below it, and is not to be ahead of what its own issuer says.
    private static func answers(_ found: ExaminedChain, _ methods: RevocationMethods) -> [EvidenceNeed] {
        found.unknown.reversed().map { methods.sources(for: found.certificates[$0], by: found.certificates[$0 + 1]) }
            .filter { !$0.isEmpty }.map { EvidenceNeed($0) }
    }
}
