import Foundation
import TestSupport
import Testing

/// Tests of command lines in a shell against the real daemons, each file with its own folders
/// (`Tests/Tools/CommandLine`).
struct CommandLineTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/Tools/CommandLine")

    static var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".txt") }
            .sorted()
    }

    @Test(arguments: CommandLineTests.names)
    func answersAreAsWritten(name: String) throws {
        let transcript = Transcript(try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8))
        #expect(!transcript.steps.isEmpty)
        let home = try TemporaryHome()
        for step in transcript.steps {
            let answer = try run(step.command, home: home.path)
            #expect(answer.matches(step.expected), "\(step.command):\n\(answer.lines.joined(separator: "\n"))")
        }
    }

    private func run(_ command: String, home: String) throws -> Transcript.Answer {
        let run = try CommandRun(
            ["/bin/sh", "-c", command],
            environment: [
                "CHATELAINE_HOME=\(home)", "PATH=\(BuildFolder.path):\(BuildFolder.searchPath)", "HOME=\(home)",
                "LC_ALL=C.UTF-8",
            ])
        return Transcript.Answer(output: run.output, errors: run.errors, exitStatus: run.end.status)
    }
}
