import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TrustProtocol

/// Has trustd judge chains of certificates, with the roots and settings of this machine and user.
final class TrustService: Sendable {
    let roots: SystemRoots
    let rootsKeychain: SystemRootsKeychain
    let admin: AdminTrustSettings
    /// The settings of the user; nil where the user is root, for whom only root's files count.
    let user: UserTrustSettings?
    private let judge: any TrustJudging
    private let fetcher: any EvidenceFetching
    private let fetching: AdminFetchSettings
    private let judgements = TrustResultCache()
    /// The memory for evaluations that wait for servers.
    private let memory: Budget
    /// How long an evaluation waits for that memory, in milliseconds.
    private let patience: Int
    private let log: Log

    init(
        _ judge: any TrustJudging, fetcher: any EvidenceFetching, user: UserTrustSettings?, log: Log,
        places: [String] = DistributionRoots.places, folder: String = AdminTrustSettings.folder,
        memory: Budget = Budget(bytes: memoryBytes, largest: bytes(largestQuestion)),
        patience: Int = TrustWorkers.patience
    ) {
        self.judge = judge
        self.fetcher = fetcher
        self.user = user
        self.log = log
        (self.memory, self.patience) = (memory, patience)
        fetching = AdminFetchSettings(folder: folder, log: log)
        roots = SystemRoots(places: places, reader: judge, log: log)
        rootsKeychain = SystemRootsKeychain(roots)
        admin = AdminTrustSettings(folder: folder, reader: judge, log: log)
    }

    /// A new trust setting for a certificate.
    ///
    /// - Throws: `errSecParam` for bytes that are no certificate.
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

    /// Memory for a dozen of the largest questions, or two dozen usual ones.
    static let memoryBytes = 64 * 1024 * 1024

    /// The memory that a question takes while servers are asked, including their answers.
    static func bytes(_ question: Int) -> Int {
        question + EvidenceLimits.maximumFetchedBytes + EvidenceLimits.maximumIssuerBytes
    }

    static let largestQuestion = TrustLimits.maximumQuestionBytes + TrustLimits.maximumRevocationBytes

    /// Evaluates a question.
    ///
    /// It waits while trustd works, and up to the limits of ``FetchSchedule`` while servers are asked; the caller must
    /// hold nothing.
    ///
    /// - Parameters:
    ///   - caller: the path of the calling program; nil where it is unknown.
    ///   - slot: the place of the connection, which others may get during a wait for a server.
    ///   - ledger: returns the list of the person's settings, or throws why it is not open, since what they deny must
    ///     not be trusted. Nil for a user who never had one.
    func evaluate(
        _ question: TrustQuestion, for caller: String?, over slot: ConnectionSlot,
        ledger: () throws(KeychainError) -> ApplicationLedger?
    ) throws(KeychainError) -> TrustVerdict {
        let ports = question.allowsFetching == false ? nil : fetching.ports
        var question = question
        if ports == nil { question.allowsFetching = false }
        var known = try knowledge(about: question, for: caller, ledger)
        var judgement = try judged(question, known, for: caller)
        guard let ports, !judgement.needs.isEmpty else { return judgement.verdict }
        let share = try memory.take(Self.bytes(question.byteCount), for: slot, milliseconds: patience)
        defer { memory.give(back: share) }
        var rounds = FetchSchedule(fetcher, at: ports, for: slot)
        while rounds.fetch(judgement.needs) {
            if let next = try judged(question, &known, &rounds) { judgement = next }
        }
        guard !slot.isGivenAway else {
            throw KeychainError(.notAvailable, "another connection got the place of this one while servers were asked")
        }
        return judgement.verdict
    }

    private static func opened(
        _ ledger: () throws(KeychainError) -> ApplicationLedger?
    ) throws(KeychainError) -> ApplicationLedger? {
        do throws(KeychainError) { return try ledger() } catch {
            throw KeychainError(
                .invalidTrustSettings,
                "what you have set about trust is not known, since the list of programs is not open: \(error.reason)")
        }
    }

    /// Why every evaluation fails that the person's settings concern; nil where they count or there are none.
    func problem(in ledger: ApplicationLedger) -> KeychainError? {
        guard let user else { return nil }
        do throws(KeychainError) {
            if try admin.doUserSettingsCount() { _ = try user.settings(in: ledger) }
        } catch { return error }
        return nil
    }

    /// Evaluates a question without asking servers; nil where trustd gave no answer.
    func evaluateAlone(
        _ question: TrustQuestion, for caller: String?,
        ledger: () throws(KeychainError) -> ApplicationLedger?
    ) throws(KeychainError) -> TrustVerdict? {
        var question = question
        question.allowsFetching = false
        return try judgement(question, try knowledge(about: question, for: caller, ledger), for: caller)?
            .verdict
    }

    /// The roots and settings that concern a question.
    private func knowledge(
        about question: TrustQuestion, for caller: String?,
        _ ledger: () throws(KeychainError) -> ApplicationLedger?
    ) throws(KeychainError) -> TrustCaseBuilder {
        var own: [TrustSetting] = []
        if let user, try admin.doUserSettingsCount(), let ledger = try Self.opened(ledger) {
            own = try user.settings(in: ledger)
        }
        let admin = try admin.settings()
        var known = TrustCaseBuilder(
            roots: question.hasOwnAnchorsOnly ? RootIndex([]) : try roots.index(), own: own, admin: admin, for: caller)
        known.add(question.certificates + question.stored + question.anchors)
        return known
    }

    /// A judgement, possibly a remembered one; nil where trustd gave no answer.
    private func judgement(
        _ question: TrustQuestion, _ knowledge: TrustCaseBuilder, for caller: String?
    ) throws(KeychainError) -> TrustJudgement? {
        try judgements.judgement(on: knowledge.trustCase(question), for: caller) { (trustCase) throws(KeychainError) in
            try judge.judge(trustCase)
        }
    }

    private func judged(
        _ question: TrustQuestion, _ knowledge: TrustCaseBuilder, for caller: String?
    ) throws(KeychainError) -> TrustJudgement {
        guard let judgement = try judgement(question, knowledge, for: caller) else {
            throw KeychainError(.notAvailable, "trustd gave no answer about a certificate")
        }
        return judgement
    }

    /// Judges with the fetched evidence, or with as much of it as trustd can.
    ///
    /// Nil where trustd ended even over the least of it, and the last judgement stays.
    ///
    /// - Throws: where no worker could judge. The evidence may say that a certificate was revoked, and must not be
    ///   ignored because of other work.
    private func judged(
        _ question: TrustQuestion, _ known: inout TrustCaseBuilder, _ rounds: inout FetchSchedule
    ) throws(KeychainError) -> TrustJudgement? {
        repeat {
            let evidence = rounds.evidence
            known.add(evidence.issuers)
            var trustCase = known.trustCase(question)
            trustCase.fetched = evidence
            let judgement = try judge.judge(trustCase)
            if let judgement { return judgement }
            log.warning("trustd gave no answer about what was fetched for a certificate: some of it is left out")
        } while rounds.leaveOut()
        return nil
    }
}
