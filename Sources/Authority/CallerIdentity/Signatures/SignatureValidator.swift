import ChatelaineModel
import ChatelaineSystem
import TrustProtocol

/// Judges the signatures of programs by root's configuration, the person's teams, the clock, and the verifier of
/// certificates.
///
/// One validator lives as long as the daemon, whichever ledger is in use (ARCHITECTURE.md, *Signed programs*).
package final class SignatureValidator: Sendable {
    let configuration: SignatureConfiguration
    let finder: SignatureFinder
    private let verifier: any SignatureVerifying
    private let cache: VerdictCache
    private let system: IdentitySystemCalls

    package convenience init(_ verifier: any SignatureVerifying, places: SignaturePlaces = .system) {
        self.init(verifier, places: places, system: .system)
    }

    init(_ verifier: any SignatureVerifying, places: SignaturePlaces, system: IdentitySystemCalls) {
        self.verifier = verifier
        self.system = system
        configuration = SignatureConfiguration(places, verifier, system: system)
        finder = SignatureFinder(places: places, system: system)
        cache = VerdictCache(verifier)
    }

    /// Whether root lists signatures by digest, so that a program must be hashed to find its signature.
    var listsSignatures: Bool { configuration.snapshot(at: system.now()).listsSignatures }

    /// Whether the dates, anchors or revocation list have changed since a signature was judged.
    func isOutdated(_ signature: ProgramSignature) -> Bool {
        let now = system.now()
        return !signature.holds.contains(now / 1_000_000_000)
            || configuration.revision(at: now) != signature.revision
    }

    /// The current verdict on a signature.
    func judge(
        _ file: SignatureFile, of digest: ExecutableDigest, _ ledger: ApplicationLedger
    ) -> ProgramSignature {
        let now = system.now()
        let snapshot = configuration.snapshot(at: now)
        let (outcome, holds) = outcome(file, digest, ledger, snapshot, now)
        return ProgramSignature(
            path: file.path, file: file, digest: digest, outcome: outcome, holds: holds, revision: snapshot.revision)
    }

    /// The verdict on a signature that could not be read; the next connection looks for it again.
    func rejected(_ path: String, _ digest: ExecutableDigest?, _ defect: SignatureDefect, _ detail: String)
        -> ProgramSignature
    {
        ProgramSignature(
            path: path, file: nil, digest: digest, outcome: .defect(defect, detail: detail), holds: VerdictCache.always,
            revision: configuration.revision(at: system.now()))
    }

    /// The verdict on the same signature under the current configuration.
    func judge(again signature: ProgramSignature, _ ledger: ApplicationLedger) -> ProgramSignature {
        guard let file = signature.file, let digest = signature.digest else {
            guard case .defect(let defect, let detail) = signature.outcome else { return signature }
            return rejected(signature.path, signature.digest, defect, detail)
        }
        return judge(file, of: digest, ledger)
    }

    private typealias Judgement = (ProgramSignature.Outcome, ClosedRange<Int64>)

    private func outcome(
        _ file: SignatureFile, _ digest: ExecutableDigest, _ ledger: ApplicationLedger,
        _ snapshot: SignatureConfiguration.Snapshot, _ now: Int64
    ) -> Judgement {
        let seconds = now / 1_000_000_000
        guard let revocations = snapshot.revocations else {
            return (.defect(.unreadable, detail: snapshot.problem ?? ""), VerdictCache.always)
        }
        do throws(KeychainError) {
            // The first question has no anchor; its answer says which team's anchor is needed.
            let first = try cache.verdict(
                VerdictCache.Key(digest: digest, signature: file.digest, anchor: nil), file, now: seconds)
            guard case .needsAnchor(let team) = first.verdict else {
                return (Self.defect(first.verdict), first.holds)
            }
            let (anchor, origin): (TeamAnchor, AnchorOrigin)
            switch configuration.anchor(of: team, at: now) {
            case .known(let report): (anchor, origin) = (report.anchor, .root)
            case .unusable(let reason):
                return (.defect(.unreadable, detail: reason), Self.shortly(seconds))
            case .none:
                guard let record = ledger.anchor(of: team) else {
                    return (.defect(.unknownTeam, detail: "\(team)"), VerdictCache.always)
                }
                (anchor, origin) = (record, .person)
            }
            let second = try cache.verdict(
                VerdictCache.Key(digest: digest, signature: file.digest, anchor: anchor), file, now: seconds)
            guard case .claims(let claims) = second.verdict else { return (Self.defect(second.verdict), second.holds) }
            guard claims.isCoherent(with: anchor) else {
                return (.defect(.wrongPrefix, detail: ""), second.holds)
            }
            if let reason = revocations.reason(claims, of: digest) {
                return (.defect(.revoked, detail: reason), VerdictCache.always)
            }
            guard second.holds.contains(seconds) else {
                let defect: SignatureDefect = seconds < claims.validFrom ? .notYetValid : .expired
                return (.defect(defect, detail: ""), Self.shortly(seconds))
            }
            return (.claims(claims, anchoredBy: origin), second.holds)
        } catch { return (.defect(.unreadable, detail: error.reason), Self.shortly(seconds)) }
    }

    private static func shortly(_ now: Int64) -> ClosedRange<Int64> {
        VerdictCache.moment(now, VerdictCache.secondsUntilAnotherTry)
    }

    /// The defect of a verdict without usable claims.
    private static func defect(_ verdict: SignatureVerdict) -> ProgramSignature.Outcome {
        switch verdict {
        case .defect(let defect, let detail): .defect(defect, detail: detail)
        // Claims without an anchor, or a request for another anchor, are answers that a correct verifier never gives.
        case .claims, .needsAnchor: .defect(.badChain, detail: "")
        }
    }

    // MARK: Teams

    /// Examines the anchor that `security app team add` adds.
    ///
    /// - Throws: `errSecParam` for a file that can be no anchor; `errSecDuplicateItem` if root has an anchor for that
    ///   team.
    package func team(of file: [UInt8], expecting team: TeamIdentifier?) throws(KeychainError) -> TeamRecord {
        let now = system.now()
        guard file.count <= SignatureLimits.maximumAnchorBytes else {
            throw KeychainError(.param, "an anchor has \(SignatureLimits.maximumAnchorBytes) bytes at the most")
        }
        let report = try verifier.examine(AnchorQuestion(file: file, team: team, now: now / 1_000_000_000))
        let owner = report.anchor.owner
        guard team == nil || owner.team == team else {
            throw KeychainError(.param, "the certificate is of team \(owner.team)")
        }
        if case .none = configuration.anchor(of: owner.team, at: now) { return TeamRecord(report) }
        throw KeychainError(
            .duplicateItem,
            "root has said which anchor team \(owner.team) has: \(configuration.places.anchor(of: owner.team))")
    }

    /// A team whose anchor root or the person added.
    package struct Team: Sendable {
        package let team: TeamIdentifier
        package let origin: AnchorOrigin
        /// Nil if the anchor is unusable.
        package let owner: TeamOwner?
        package let subject: String
        package let validFrom: Int64
        package let validUntil: Int64
        package let requiresProfiles: Bool
        /// Why the anchor does not count; empty if it counts.
        package let problem: String
    }

    /// All teams, root's first, each part ascending.
    ///
    /// A team of the person for which root has an anchor is listed with that reason.
    package func teams(_ ledger: ApplicationLedger) -> [Team] {
        let now = system.now()
        var teams: [Team] = []
        var ofRoot: Set<TeamIdentifier> = []
        for team in configuration.listedTeams() {
            switch configuration.anchor(of: team, at: now) {
            case .none: continue
            case .known(let report):
                teams.append(Team(TeamRecord(report), .root, requiresProfiles: report.anchor.requiresProfiles, ""))
            case .unusable(let reason): teams.append(Team(unusable: team, reason))
            }
            ofRoot.insert(team)
        }
        for record in ledger.teams() {
            let problem =
                ofRoot.contains(record.owner.team)
                ? "root's anchor counts" : ledger.counts(record) ? "" : "it was not confirmed with the passcode"
            teams.append(Team(record, .person, requiresProfiles: false, problem))
        }
        return teams
    }

    /// The defects of root's configuration as a whole: of the revocation list, and of the folder of signatures.
    package var problems: (revocations: String?, folder: String?) {
        let snapshot = configuration.snapshot(at: system.now())
        return (snapshot.problem, snapshot.folderProblem)
    }
}

extension SignatureValidator.Team {
    init(_ record: TeamRecord, _ origin: AnchorOrigin, requiresProfiles: Bool, _ problem: String) {
        self.init(
            team: record.owner.team, origin: origin, owner: record.owner, subject: record.subject,
            validFrom: record.validFrom, validUntil: record.validUntil, requiresProfiles: requiresProfiles,
            problem: problem)
    }

    init(unusable team: TeamIdentifier, _ reason: String) {
        self.init(
            team: team, origin: .root, owner: nil, subject: "", validFrom: 0, validUntil: 0, requiresProfiles: false,
            problem: reason)
    }
}

extension SignedClaims {
    /// Whether the anchor's team may make these claims.
    ///
    /// The verifier has checked that already. But it parses what strangers wrote, so its answer is checked again.
    fileprivate func isCoherent(with anchor: TeamAnchor) -> Bool {
        owner == anchor.owner && keychainGroups.count <= SignatureLimits.maximumGroups
            && applicationGroups.count <= SignatureLimits.maximumGroups
            && ([identifier] + keychainGroups).allSatisfy(owner.team.isPrefix)
            && ([identifier] + keychainGroups + applicationGroups).allSatisfy(Self.isName)
    }

    /// Whether a name differs from every name of an unsigned program, and from every name with its owner before it.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= SignatureLimits.maximumNameBytes
            && !["path:", "dev:", "pinned:", "team:", "rejected:"].contains(where: name.hasPrefix)
            && PrintablePath.text(Array(name.utf8)) != nil && !name.utf8.contains(UInt8(ascii: "*"))
    }
}
