import Foundation
import TestSupport
import Testing

@testable import ManualPages

/// Tests that the pages and completions in Packaging are what the generator writes now.
struct GeneratedFilesTests {
    @Test func filesAreUpToDate() throws {
        let files = try ManualPages(root: Repository.root).files()
        for (path, text) in files {
            let kept = try? String(contentsOf: Repository.root.appendingPathComponent(path), encoding: .utf8)
            #expect(kept == text, "\(path) is not what is generated now; run: make pages")
        }
        // A page that is no longer generated would be installed forever.
        for folder in ["Packaging/man", "Packaging/completions"] {
            let kept = try FileManager.default.contentsOfDirectory(
                atPath: Repository.root.appendingPathComponent(folder).path)
            let generated = Set(files.map(\.path))
            for name in kept {
                #expect(generated.contains("\(folder)/\(name)"), "\(folder)/\(name) comes from nowhere")
            }
        }
    }

    @Test func everyVerbAndOptionIsInThePageAndInEveryCompletion() throws {
        let files = Dictionary(
            uniqueKeysWithValues: try ManualPages(root: Repository.root).files().map { ($0.path, $0.text) })
        let page = try #require(files["Packaging/man/security.1"])
        let shells = try ["security.bash", "_security", "security.fish"].map {
            try #require(files["Packaging/completions/\($0)"])
        }
        let commands = try Command.security().all.filter { !$0.options.isEmpty }
        #expect(commands.count > 15)
        for command in commands {
            for shell in shells { #expect(shell.contains(command.words)) }
            for name in command.options.flatMap(\.names) where !["-h", "--help", "--version"].contains(name) {
                #expect(page.contains("\\fB\(name.replacing("-", with: "\\-"))\\fR"), "\(command.words) \(name)")
                let long = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
                for shell in shells where name.hasPrefix("--") { #expect(shell.contains(long), "\(long)") }
            }
            for option in command.options { #expect(!option.help.isEmpty, "\(command.words) \(option.names)") }
        }
    }

    @Test func verbsMayBeShortenedAsTheToolAllows() throws {
        let security = try Command.security()
        let status = try #require(security.verbs.first { $0.name == "status" })
        #expect(VerbPrefixes.of(status, among: security.verbs) == ["statu", "status"])
    }
}
