import CallerIdentity
import ChatelaineModel
import Glibc
import SystemCalls
import TrustProtocol

/// Has chains of certificates judged, with all that this user's machine says of them.
final class TrustService: Sendable {
    let roots: SystemRoots
    let admin: AdminTrustSettings
    /// Nil where the user is root, who believes root's files alone.
    let user: UserTrustSettings?
    private let judge: any TrustJudging
    private let fetcher: any EvidenceFetching
    private let fetching: AdminFetchSettings
    private let log: Log

    init(
        _ judge: any TrustJudging, fetcher: any EvidenceFetching, user: UserTrustSettings?, log: Log,
        places: [String] = SystemRoots.places, folder: String = AdminTrustSettings.folder
    ) {
        self.judge = judge
        self.fetcher = fetcher
        self.user = user
        self.log = log
        fetching = AdminFetchSettings(folder: folder, log: log)
        roots = SystemRoots(places: places, reader: judge, log: log)
        admin = AdminTrustSettings(folder: folder, reader: judge, log: log)
    }

    /// The certificate that somebody sets trust for.
    ///
    /// - Throws: `errSecParam` where it is none.
    func setting(
        for certificate: [UInt8], _ constraints: [TrustConstraint]
    ) throws(KeychainError) -> TrustSetting {
        guard let root = try judge.roots(in: certificate).first, root.certificate == certificate else {
            throw KeychainError(.param, "that is no certificate, or its key is of a kind that is not known here")
        }
        return TrustSetting(
            certificate: certificate, subject: root.subject, summary: root.summary, constraints: constraints,
            modified: Int64(time(nil)))
    }

    /// Waits for seconds where trustd takes that long, and for those of ``EvidenceRounds`` where servers are asked; whoever calls it holds nothing.
    ///
    /// - Parameters:
    ///   - caller: the path of the program that asks; nil where nobody knows it.
    ///   - ledger: which settings of the person's count; nil where it is not open.
    func evaluate(
        _ question: TrustQuestion, for caller: String?, ledger: ApplicationLedger?
    ) throws(KeychainError) -> TrustVerdict {
        var own: [TrustSetting] = []
        if let ledger, let user, admin.doUserSettingsCount { own = try user.settings(in: ledger) }
        // The person's before the administrator's.
        let settings = own + (try admin.settings())
        let ports = question.allowsFetching == false ? nil : fetching.ports
        var question = question
        if ports == nil { question.allowsFetching = false }
        var rounds = ports.map { EvidenceRounds(fetcher, at: $0, for: caller ?? "") }
        var known = CaseKnowledge(
            roots: question.hasOwnAnchorsOnly ? RootIndex([]) : try roots.index(), settings: settings, for: caller)
        known.add(question.certificates + question.anchors)
        var trustCase = known.trustCase(question)
        var judgement = try judge.judge(trustCase)
        while rounds?.fetch(judgement.needs) == true, let evidence = rounds?.evidence {
            known.add(evidence.issuers)
            trustCase = known.trustCase(question)
            trustCase.fetched = evidence
            do throws(KeychainError) { judgement = try judge.judge(trustCase) } catch {
                // What strangers' servers say makes no verdict less than it was without.
                log.warning("what was fetched about a certificate is left out", ["reason": error.reason])
                break
            }
        }
        return judgement.verdict
    }
}
