import Foundation
import Testing

/// Command lines in a shell against the real daemons, each file with folders of its own (`Tests/CommandLine`).
struct CommandLineTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("CommandLine")

    static var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".txt") }
            .sorted()
    }

    @Test(arguments: CommandLineTests.names)
    func answersAreAsWritten(name: String) throws {
        let transcript = Transcript(try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8))
        #expect(!transcript.steps.isEmpty)
        // Short, because the path of a socket is bounded.
        let home = "/tmp/cl-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer {
            endDaemon(home)
            try? FileManager.default.removeItem(atPath: home)
        }
        for step in transcript.steps {
            let answer = try run(step.command, home: home)
            #expect(answer.matches(step.expected), "\(step.command):\n\(answer.lines.joined(separator: "\n"))")
        }
    }

    private func run(_ command: String, home: String) throws -> Transcript.Answer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = [
            "CHATELAINE_HOME": home, "PATH": BuiltProgram.folder + ":/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8",
        ]
        let output = URL(fileURLWithPath: home + "/stdout")
        let errors = URL(fileURLWithPath: home + "/stderr")
        for file in [output, errors] {
            #expect(
                FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            )
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Transcript.Answer(
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self),
            exitStatus: process.terminationStatus)
    }

    /// Ends the daemon that the commands started, by the pid that it reports.
    private func endDaemon(_ home: String) {
        guard let answer = try? run("security status --json", home: home),
            let line = answer.lines.first(where: { $0.hasPrefix("{") }),
            let report = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let pid = (report["daemon.pid"] as? NSNumber)?.int32Value, pid > 1
        else { return }
        kill(pid, SIGTERM)
    }
}
