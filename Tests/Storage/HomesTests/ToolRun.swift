import Foundation
import TestSupport
import Testing

/// Runs `security` and the real daemons on a copy of a home, and ends the daemon with itself.
final class ToolRun: Sendable {
    let home: HomeCopy

    init(_ home: HomeCopy) { self.home = home }

    deinit { DaemonProcess.end(at: home.path + "/run/securityd.sock", signal: SIGTERM) }

    func security(_ words: String...) throws -> CommandRun {
        try CommandRun(
            [BuildFolder.program("security")] + words,
            environment: ["CHATELAINE_HOME=\(home.path)", "PATH=\(BuildFolder.searchPath)", "LC_ALL=C.UTF-8"])
    }

    /// Runs `security` with a line of standard input.
    func security(reading line: String, _ words: String...) throws -> CommandRun {
        try CommandRun(
            [
                "sh", "-c", "line=$1; shift; printf '%s\\n' \"$line\" | \"$0\" \"$@\"", BuildFolder.program("security"),
                line,
            ] + words,
            environment: ["CHATELAINE_HOME=\(home.path)", "PATH=\(BuildFolder.searchPath)", "LC_ALL=C.UTF-8"])
    }

    /// The daemon's report: facts by group and name, such as `store.missingLost`.
    func facts() throws -> [String: Any] {
        let answer = try security("status", "--json")
        let groups = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: [String: Any]]
        var facts: [String: Any] = [:]
        for (group, members) in try #require(groups) {
            for (name, value) in members { facts["\(group).\(name)"] = value }
        }
        return facts
    }

    /// The daemon's report once no recovery is under way.
    func settledFacts() throws -> [String: Any] {
        let end = Date().addingTimeInterval(60)
        while true {
            let facts = try facts()
            if facts["store.recovery"] == nil { return facts }
            try #require(Date() < end, "the recovery does not come to its end")
            usleep(20_000)
        }
    }
}
