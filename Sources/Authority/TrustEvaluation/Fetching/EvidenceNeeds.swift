import ChatelaineModel
import TrustProtocol

/// The evidence that could change the verdict on a chain, and where to fetch it.
enum EvidenceNeeds {
    /// The needed evidence; none if no evidence could make the chain trusted.
    ///
    /// A stranger's certificates name the servers, so a hopeless chain must not make this machine contact any.
    static func of(
        _ found: ExaminedChain, _ question: TrustQuestion, _ methods: RevocationMethods
    ) -> [EvidenceNeed] {
        guard methods.allowsNetwork, found.certificates.count <= TrustLimits.maximumChain,
            !found.defects.contains(where: { $0.contains { $0.isFatal || $0 == .denied } })
        else { return [] }
        let needs = found.isAnchored ? answers(found, methods) : question.fetchesIssuers ? issuer(found) : []
        return Array(needs.prefix(EvidenceLimits.maximumNeeds))
    }

    /// The issuer that would extend a chain without an anchor.
    private static func issuer(_ found: ExaminedChain) -> [EvidenceNeed] {
        guard let last = found.certificates.last, !last.isSelfIssued,
            found.certificates.count < TrustLimits.maximumChain
        else { return [] }
        let sources = NamedSources(last.certificate).addresses(of: .issuer).map { EvidenceSource(.issuer, at: $0) }
        return sources.isEmpty ? [] : [EvidenceNeed(sources)]
    }

    /// The revocation evidence about each certificate with unknown state, nearest to the anchor first.
    ///
    /// The holder of an issuer's key chose the servers of all certificates below it. So those servers must not come
    /// before the ones that the issuer's own issuer named.
    private static func answers(_ found: ExaminedChain, _ methods: RevocationMethods) -> [EvidenceNeed] {
        found.unknown.reversed().map { methods.sources(for: found.certificates[$0], by: found.certificates[$0 + 1]) }
            .filter { !$0.isEmpty }.map { EvidenceNeed($0) }
    }
}
