import ChatelaineIPC
import ChatelaineModel
import Glibc

/// Checks the teams whose signatures count, and what prevents signatures from counting.
struct TeamChecks {
    /// How long before an anchor expires it is reported: enough time to get another, and to sign with it.
    static let daysBefore: Int64 = 30
    private static let day: Int64 = 86_400

    /// Seconds since 1970.
    var now = Int64(time(nil))

    /// The findings about root's list of revocations, and about the folder of signatures by digest.
    static func ofRoot(_ report: DaemonReport) -> [Finding] {
        var findings: [Finding] = []
        if case .text(let problem)? = report["signatures.problem"] {
            findings.append(
                Finding(
                    "signatures.revoked", .problem, "no signature of any program counts: \(Printable.text(problem))",
                    remedy: "mend the list of what is revoked, which root alone may write, or move it away"))
        }
        if case .text(let problem)? = report["signatures.folder"] {
            findings.append(
                Finding(
                    "signatures.folder", .problem,
                    "programs are refused, since any of them may be listed: \(Printable.text(problem))",
                    remedy: "as root, let everybody look into /etc/chatelaine/signatures, or move it away"))
        }
        return findings
    }

    func findings(_ teams: [TeamDescription]) -> [Finding] {
        let findings = teams.compactMap(finding)
        guard findings.isEmpty, !teams.isEmpty else { return findings }
        return [Finding("signatures.teams", .ok, "signatures of \(Quantity.count(teams.count, "team")) count")]
    }

    private func finding(_ team: TeamDescription) -> Finding? {
        if !team.problem.isEmpty {
            return Finding(
                "signatures.team", .degraded,
                "the anchor of team \(team.team) counts for nothing: \(Printable.text(team.problem))",
                remedy: team.origin == .root
                    ? "as root, mend its file in /etc/chatelaine/teams"
                    : "security app team remove \(team.team), or add it again")
        }
        guard team.validUntil - now < Self.daysBefore * Self.day else { return nil }
        let date = UnixTime.text(team.validUntil)
        return team.validUntil < now
            ? Finding(
                "signatures.team", .degraded,
                "the anchor of team \(team.team) expired at \(date): its programs are refused",
                remedy: "have a new certificate of the same key made, or sign anew under another anchor")
            : Finding(
                "signatures.team", .degraded, "the anchor of team \(team.team) expires at \(date)",
                remedy: "have a new certificate of the same key made before then")
    }
}
