import ChatelaineModel
import Crypto
import SwiftASN1
import TrustProtocol
import X509

/// Judges a chain of certificates, in the process that asks. Strangers' certificates are judged in `trustd` alone.
///
/// swift-certificates finds the paths and looks at signatures. What a chain has to meet is ours, since each defect is to have a
/// name, and all of them are told.
package enum TrustEvaluator {
    /// - Returns: the verdict, and what could change it where servers may be asked.
    package static func judge(_ evaluation: TrustCase) -> TrustJudgement {
        let question = evaluation.question
        guard let leafBytes = question.certificates.first, let leaf = ReadCertificate(leafBytes) else {
            let unreadable = UnreadableCertificate(question.certificates.first ?? [])
            let verdict = TrustVerdict(result: .fatalTrustFailure, chain: [unreadable.link])
            return TrustJudgement(verdict, unchangedUntil: .max)
        }
        let fetched = FetchedIssuers.certificates(in: evaluation.fetched.issuers)
        let revocation = RevocationSources(evaluation)
        let decisions = SettingDecisions(evaluation.settings, for: question.policies)
        func search(_ evaluation: TrustCase) -> (ChainSearch.Found, Candidates) {
            let candidates = Candidates(evaluation, decisions, leaf: leaf, fetched: fetched)
            let examination = ChainExamination(evaluation, candidates, decisions, revocation)
            return (ChainSearch(candidates, examination).run(), candidates)
        }
        // A chain without a defect is one, whatever anchors there are besides. Any other answer is of all of them.
        let likely = question.likelyAnchors(with: fetched)
        if likely.count < question.anchors.count {
            var smaller = evaluation
            smaller.question.anchors = likely
            let (found, candidates) = search(smaller)
            if found.chain.isGood { return judgement(found, candidates, evaluation) }
        }
        let (found, candidates) = search(evaluation)
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

    /// Until when nothing of it depends on the time: which of all certificates that were looked at are valid stays as it is.
    ///
    /// Nil where something was said about revocation, which gets old by rules of its own. What a search did not come to in its time is asked of the next one, too.
    private static func unchangedUntil(_ evaluation: TrustCase, _ candidates: Candidates) -> Int64? {
        let question = evaluation.question
        guard question.responses.isEmpty, question.revocationLists.isEmpty, evaluation.fetched.isEmpty else {
            return nil
        }
        // The date that a program has set does not go on.
        guard question.date == nil else { return .max }
        let ends = candidates.all.flatMap { [$0.validFrom, $0.validUntil + 1] }
        return ends.filter { $0 > evaluation.date }.min() ?? .max
    }

    private static func verdict(_ found: ExaminedChain, _ candidates: Candidates) -> TrustVerdict {
        var chain = zip(found.certificates, found.defects).map { certificate, defects in
            TrustVerdict.Link(
                certificate: certificate.der, summary: certificate.summary,
                defects: defects.sorted(by: TrustDefect.isToldBefore))
        }
        if !found.isAnchored, let last = found.certificates.last, chain.count < TrustLimits.maximumChain,
            let issuer = candidates.unreadable.first(where: { $0.subject == last.subjectOfIssuer })
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

extension TrustDefect {
    /// A name that does not match is told first, and that nobody trusts it last: it explains the least.
    static func isToldBefore(_ left: TrustDefect, _ right: TrustDefect) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .unreadable: 0
        case .denied: 1
        case .revoked: 2
        case .wrongHostName, .wrongEmailAddress: 3
        case .expired, .notYetValid: 4
        case .weakKey, .weakDigest: 5
        case .unknownCriticalExtension, .damagedExtension: 6
        case .notAnAuthority, .pathTooLong, .nameNotAllowed: 7
        case .wrongPurpose, .wrongKeyUsage: 8
        case .validForTooLong: 9
        case .revocationUnknown: 10
        case .noIssuer, .notTrusted: 11
        }
    }
}
