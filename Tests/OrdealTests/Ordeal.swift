import Foundation
import Testing

/// The fixture `ordeal`, and what it says.
enum Ordeal {
    /// Problems that are shown; the line of each says how to see it again.
    private static let shown = 20

    private static let executable: URL = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("ordeal")
    }()

    /// Runs it, prints its figures, and records what went wrong.
    static func run(_ words: String..., location: SourceLocation = #_sourceLocation) throws {
        let (lines, status) = try output(words)
        let problems = lines.filter { $0.hasPrefix("problem") || $0.hasPrefix("usage") }
        for problem in problems.prefix(shown) { Issue.record("\(problem)", sourceLocation: location) }
        #expect(problems.isEmpty && status == 0, "\(problems.count) problems", sourceLocation: location)
        for line in lines where !problems.contains(line) { print(line) }
    }

    static func output(_ words: String...) throws -> (lines: [String], status: Int32) { try output(words) }

    private static func output(_ words: [String]) throws -> (lines: [String], status: Int32) {
        let process = Process()
        process.executableURL = executable
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        let isSignalled = process.terminationReason == .uncaughtSignal
        return (
            text.split(separator: "\n").map { String($0) },
            isSignalled ? 128 + process.terminationStatus : process.terminationStatus
        )
    }
}
