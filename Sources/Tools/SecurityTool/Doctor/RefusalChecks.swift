import ChatelaineIPC
import ChatelaineModel

/// Reports programs that the daemon has refused since it started, because they changed or could not be inspected.
enum RefusalChecks {
    private static let prefix = "refused.changed."

    static func findings(_ report: DaemonReport) -> [Finding] {
        changed(report) + unanswered(report)
    }

    private static func unanswered(_ report: DaemonReport) -> [Finding] {
        guard case .number(let count)? = report["looks.unanswered"] else { return [] }
        return [
            Finding(
                "program.unanswered", .degraded,
                "\(count) times a program was refused because it could not be looked at in time",
                remedy:
                    "the log names them: they lie on a file system that does not answer, or were kept while they started "
                    + "another program")
        ]
    }

    private static func changed(_ report: DaemonReport) -> [Finding] {
        report.facts.compactMap { name, value in
            guard name.hasPrefix(prefix), case .text(let path) = value else { return nil }
            let word = ShellWord.quoted(path)
            return Finding(
                "program.changed", .degraded, "\(path) is refused: its file has changed since it stored its items",
                remedy: "if you changed it: security app accept \(word), or where it is rebuilt again and again: "
                    + "security app develop \(word)")
        }
    }
}
