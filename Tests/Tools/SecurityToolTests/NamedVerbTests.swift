import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests that sentences for people name verbs that there are.
struct NamedVerbTests {
    /// The words of each command in the sources: `security app list`, “security lock”, or after "remedy:".
    private static func commands() throws -> [(file: String, words: [String])] {
        let command = #/(?:[`“]|remedy: ")security ((?:[a-z][a-z0-9-]*)(?: [a-z][a-z0-9-]*)*)/#
        let sources = Repository.root.appendingPathComponent("Sources")
        return try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
            .flatMap { path in
                try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
                    .matches(of: command).map { (path, $0.1.split(separator: " ").map(String.init)) }
            }
    }

    @Test func everyVerbInASentenceExists() throws {
        let commands = try Self.commands()
        #expect(commands.count > 50)
        for (file, words) in commands {
            var verbs = Verb.all
            for word in words {
                guard let verb = verbs.first(where: { $0.name == word }) else {
                    Issue.record("\(file) names `security \(words.joined(separator: " "))`, and there is no \(word)")
                    break
                }
                // What follows a verb that is no group are its arguments.
                verbs = verb.verbs
                if verbs.isEmpty { break }
            }
        }
    }
}
