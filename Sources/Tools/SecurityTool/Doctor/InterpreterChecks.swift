import ChatelaineIPC
import ChatelaineModel

/// Checks whether the administrator's list of interpreters is in force.
enum InterpreterChecks {
    private static let name = "programs.interpreters"

    static func findings(_ report: DaemonReport) -> [Finding] {
        if let defect = DaemonChecks.text(report, "interpreters.defect") {
            return [
                Finding(
                    name, .degraded, defect,
                    remedy: "let it be root's, and nobody else's to write, with a name or a path a line; see "
                        + "chatelaine-interpreters(5)")
            ]
        }
        guard case .number(let count)? = report["interpreters.added"] else { return [] }
        let added = Quantity.count(count, "name")
        return [Finding(name, .ok, "/etc/chatelaine/interpreters adds \(added) to the interpreters that are built in")]
    }
}
