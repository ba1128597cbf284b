import Foundation
import TestSupport
import Testing

/// Runs the fixture `fault-injection` and reports its output.
enum FaultInjection {
    /// The number of problems shown. The line of each problem says how to repeat it.
    private static let shown = 20

    /// Runs the fixture, prints its figures, and records its problems as issues.
    static func run(_ words: String..., location: SourceLocation = #_sourceLocation) throws {
        let (lines, status) = try output(words)
        let problems = lines.filter { $0.hasPrefix("problem") || $0.hasPrefix("usage") }
        for problem in problems.prefix(shown) { Issue.record("\(problem)", sourceLocation: location) }
        #expect(problems.isEmpty && status == 0, "\(problems.count) problems", sourceLocation: location)
        for line in lines where !problems.contains(line) { print(line) }
    }

    static func output(_ words: String...) throws -> (lines: [String], status: Int32) { try output(words) }

    private static func output(_ words: [String]) throws -> (lines: [String], status: Int32) {
        let run = try CommandRun([BuildFolder.program("fault-injection")] + words)
        return (run.lines, run.end.status)
    }
}
