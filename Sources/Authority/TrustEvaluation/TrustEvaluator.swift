import ChatelaineModel
import Crypto
import SwiftASN1
import TrustProtocol
import X509

/// Judges a chain of certificates in the calling process.
///
/// Only `trustd` judges certificates of strangers. swift-certificates finds the paths and verifies signatures. This
/// module checks all other requirements, so that each defect has a name and all of them are reported.
package enum TrustEvaluator {
    /// - Returns: the verdict, and the evidence from servers that could change it.
    package static func judge(_ evaluation: TrustCase) -> TrustJudgement {
        var none: FormerChain?
        return judge(evaluation, after: &none)
    }

    /// As ``judge(_:)``, and sooner if only the judged certificate differs from the last case.
    ///
    /// - Parameter former: the chain of the last case, which that of this case replaces.
    package static func judge(_ evaluation: TrustCase, after former: inout FormerChain?) -> TrustJudgement {
        let question = evaluation.question
        guard let leafBytes = question.certificates.first, let leaf = ReadCertificate(leafBytes) else {
            let unreadable = UnreadableCertificate(question.certificates.first ?? [])
            let verdict = TrustVerdict(result: .fatalTrustFailure, chain: [unreadable.link])
            return TrustJudgement(verdict, unchangedUntil: .max)
        }
        let fetched = FetchedIssuers.certificates(in: evaluation.fetched.issuers)
        let revocation = RevocationSources(evaluation)
        let decisions = SettingDecisions(evaluation.settings, for: question.policies)
        if let (chain, candidates) = former?.chain(for: leaf, in: evaluation) {
            let examination = ChainExamination(evaluation, candidates, decisions, revocation)
            let examined = examination.examine(chain, isAnchored: true)
            let found = ChainSearch.Found(chain: examined, wasCutShort: false)
            if examined.isGood { return judgement(found, candidates, evaluation) }
        }
        func search(_ evaluation: TrustCase) -> (ChainSearch.Found, Candidates) {
            let candidates = Candidates(evaluation, decisions, leaf: leaf, fetched: fetched)
            let examination = ChainExamination(evaluation, candidates, decisions, revocation)
            return (ChainSearch(candidates, examination).run(), candidates)
        }
        // A chain without a defect is a good answer, whatever other anchors exist. Any other answer needs all anchors.
        let likely = question.likelyAnchors(with: fetched)
        if likely.count < question.anchors.count {
            var smaller = evaluation
            smaller.question.anchors = likely
            let (found, candidates) = search(smaller)
            if found.chain.isGood {
                former = FormerChain(found, candidates, evaluation)
                return judgement(found, candidates, evaluation)
            }
        }
        let (found, candidates) = search(evaluation)
        former = FormerChain(found, candidates, evaluation)
        return judgement(found, candidates, evaluation)
    }

    private static func judgement(
        _ found: ChainSearch.Found, _ candidates: Candidates, _ evaluation: TrustCase
    ) -> TrustJudgement {
        let question = evaluation.question
        return TrustJudgement(
            verdict(found.chain, candidates),
            needs: EvidenceNeeds.of(found.chain, question, RevocationMethods(question)),
            unchangedUntil: found.wasCutShort ? nil : unchangedUntil(evaluation, candidates))
    }

    /// The time until which the verdict cannot change: no examined certificate becomes valid or expires before it.
    ///
    /// Nil if there was evidence about revocation, which ages by rules of its own. The caller uses nil also for a
    /// search that was cut short, so that the next question searches again.
    private static func unchangedUntil(_ evaluation: TrustCase, _ candidates: Candidates) -> Int64? {
        let question = evaluation.question
        guard question.responses.isEmpty, question.revocationLists.isEmpty, evaluation.fetched.isEmpty else {
            return nil
        }
        // A date that the program set does not advance.
        guard question.date == nil else { return .max }
        let ends = candidates.all.flatMap { [$0.validFrom, $0.validUntil + 1] }
        return ends.filter { $0 > evaluation.date }.min() ?? .max
    }

    private static func verdict(_ found: ExaminedChain, _ candidates: Candidates) -> TrustVerdict {
        var chain = zip(found.certificates, found.defects).map { certificate, defects in
            TrustVerdict.Link(
                certificate: certificate.der, summary: certificate.summary,
                defects: defects.sorted { $0.seriousness < $1.seriousness })
        }
        if !found.isAnchored, let last = found.certificates.last, chain.count < TrustLimits.maximumChain,
            let issuer = candidates.unreadable.first(where: { $0.subject == last.issuerName })
        {
            chain.append(issuer.link)
        }
        chain = Array(chain.prefix(TrustLimits.maximumChain))
        let defects = found.defects.flatMap { $0 } + chain.flatMap(\.defects)
        let result: TrustVerdict.Result =
            if defects.contains(.denied) {
                .deny
            } else if defects.contains(where: \.isFatal) {
                .fatalTrustFailure
            } else if !defects.isEmpty {
                .recoverableTrustFailure
            } else {
                found.isBySetting ? .proceed : .unspecified
            }
        return TrustVerdict(
            result: result, chain: chain, key: found.certificates.first?.key, goodUntil: found.goodUntil)
    }
}
