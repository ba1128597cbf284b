import Foundation
import Testing

/// `security` and the real daemons on a copy of a home; the daemon ends with it.
final class ToolRun: Sendable {
    let home: HomeCopy

    init(_ home: HomeCopy) { self.home = home }

    deinit {
        guard let report = try? facts(), let pid = (report["daemon.pid"] as? NSNumber)?.int32Value, pid > 1 else {
            return
        }
        kill(pid, SIGTERM)
    }

    struct Answer {
        var output: String
        var errors: String
        var exitStatus: Int32
    }

    func security(_ words: String...) throws -> Answer { try security(words) }

    private func security(_ words: [String]) throws -> Answer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.programs + "/security")
        process.arguments = words
        process.environment = ["CHATELAINE_HOME": home.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        // Files, not pipes: the daemon that it starts must not keep us waiting for their end.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tool-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, errors) = (folder.appendingPathComponent("output"), folder.appendingPathComponent("errors"))
        for file in [output, errors] { try Data().write(to: file) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Answer(
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self), exitStatus: process.terminationStatus
        )
    }

    /// The daemon's report: facts by their groups and names, as `store.missingLost`.
    func facts() throws -> [String: Any] {
        let answer = try security("status", "--json")
        let groups = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: [String: Any]]
        var facts: [String: Any] = [:]
        for (group, members) in try #require(groups) {
            for (name, value) in members { facts["\(group).\(name)"] = value }
        }
        return facts
    }

    /// The report, once no recovery goes on.
    func settledFacts() throws -> [String: Any] {
        let end = Date().addingTimeInterval(60)
        while true {
            let facts = try facts()
            if facts["store.recovery"] == nil { return facts }
            try #require(Date() < end, "the recovery does not come to its end")
            usleep(20_000)
        }
    }

    private static let programs: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path
    }()
}
