import ChatelaineIPC
import ChatelaineModel

/// Reports that the person's settings of trust are not the ones that the list of programs names, so that evaluations
/// fail.
enum TrustSettingsCheck {
    static func findings(_ report: DaemonReport) -> [Finding] {
        guard case .text(let problem)? = report["trust.problem"] else { return [] }
        return [
            Finding(
                "trust.settings", .problem, "no certificate is trusted: \(Printable.text(problem))",
                remedy: "put the file back from a backup, or begin anew: security remove-trusted-cert -a")
        ]
    }
}
