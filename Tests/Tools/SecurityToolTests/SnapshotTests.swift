import Foundation
import Testing

@testable import SecurityTool

/// Tests that compare the output of every command with files, since scripts rely on it.
///
/// For an intended change, run the tests with `RECORD_SNAPSHOTS=1` and read the difference before committing it.
struct SnapshotTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")

    static var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".txt") }
            .sorted()
    }

    @Test func thereAreSnapshots() { #expect(Self.names.count >= 5) }

    @Test(arguments: SnapshotTests.names)
    func outputIsAsRecorded(name: String) throws {
        let file = Self.folder.appendingPathComponent(name)
        let transcript = Transcript(try String(contentsOf: file, encoding: .utf8))
        #expect(!transcript.steps.isEmpty)
        let answers = transcript.steps.map { step in
            // Words in single quotes may contain blanks; no other shell syntax is needed here.
            var words: [String] = []
            for (index, part) in step.command.components(separatedBy: "'").enumerated() {
                words += index % 2 == 1 ? [part] : part.split(separator: " ").map(String.init)
            }
            let run = ToolRun(Array(words.dropFirst()))
            return Transcript.Answer(output: run.text, errors: run.errors, exitStatus: run.exitStatus)
        }
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
            try transcript.text(with: answers).write(to: file, atomically: true, encoding: .utf8)
            return
        }
        for (step, answer) in zip(transcript.steps, answers) {
            #expect(answer.matches(step.expected), "\(step.command):\n\(answer.lines.joined(separator: "\n"))")
        }
    }
}
