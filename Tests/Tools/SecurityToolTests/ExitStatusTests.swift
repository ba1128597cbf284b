import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the manual's statements about exit statuses, read from its text.
struct ExitStatusTests {
    private static let manual = Repository.root.appendingPathComponent("Documentation/manual/security.1.md")

    /// The rows of the table under “Exit status”.
    private static func documented() throws -> [Int32] {
        let text = try String(contentsOf: manual, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Exit status\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        return section.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 2 ? Int32(cells[0]) : nil
        }
    }

    private static func provoke(_ exitStatus: Int32) throws -> [ToolRun] {
        switch exitStatus {
        case 0: return [ToolRun(["item", "list"])]
        case 1:
            return [
                ToolRun(["nonsense"]), ToolRun(["smartcards"]),
                ToolRun(["item", "find", "-s", "mail", "--secret"]), ToolRun(["check"]),
                ToolRun(["item", "delete", "-s", "mail"]), ToolRun(["error", "nonsense"]),
                ToolRun(["app", "accept", "/no/such/program"]),
            ]
        case 2: return [ToolRun(["item", "list", "--nonsense"]), ToolRun([])]
        case 30: return [ToolRun(["item", "find", "--group", "foreign"])]
        case 36: return [ToolRun(["item", "add", "-s", "new"])]
        case 37:
            let keychain = FakeKeychain()
            keychain.defaultKeychain.withLock { $0 = nil }
            return [
                ToolRun(["lock-keychain"], keychain: keychain), ToolRun(["show-keychain-info"], keychain: keychain),
            ]
        case 41: return [ToolRun(["item", "find", "--attribute", "zzzz=1"])]
        case 42:
            let secret = [UInt8](repeating: 1, count: Limits.secretBytes + 1)
            let attribute = String(repeating: "a", count: Limits.attributeBytes)
            return [
                ToolRun(["item", "add", "--stdin"], input: secret),
                ToolRun(["item", "add", "-s", attribute, "--no-secret"]),
            ]
        case 44: return [ToolRun(["item", "find", "-s", "none"]), ToolRun(["snapshot", "restore", "none"])]
        case 45: return [ToolRun(["item", "add", "-s", "mail", "-a", "anna", "--no-secret"])]
        case 48: return [ToolRun(["create-keychain", "-p", "x", "a"])]
        case 50: return [ToolRun(["delete-keychain", "b"]), ToolRun(["find-generic-password", "b"])]
        case 51:
            return [
                ToolRun(["item", "find", "--group", "changed"]), ToolRun(["unlock-keychain", "-p", "wrong", "a"]),
            ]
        case 53:
            var environment = ProcessEnvironment.current
            environment.variable = { ["CHATELAINE_HOME": "relative"][$0] }
            return [ToolRun(["item", "list"], keychain: KeychainClient(environment: environment))]
        case 206: return [ToolRun(["item", "add", "-s", "x", "--synchronizable", "any", "--no-secret"])]
        case 255: return try ["one\ntwo\n", "\u{04}"].map(typing)
        default: return []
        }
    }

    private static func typing(_ text: String) throws -> ToolRun {
        let terminal = try #require(PseudoTerminal())
        let name = terminal.name
        let run = Background { ToolRun(["item", "add", "-s", "new"], terminal: name) }
        try #require(terminal.wait(for: "Secret: "))
        terminal.type(text)
        return try #require(run.wait(milliseconds: -1))
    }

    @Test func eachIsAsTheManualSays() throws {
        let documented = try Self.documented()
        #expect(documented.count >= 10 && documented == documented.sorted())
        for exitStatus in documented {
            let runs = try Self.provoke(exitStatus)
            #expect(!runs.isEmpty, "nothing here provokes \(exitStatus)")
            for run in runs {
                #expect(run.exitStatus == exitStatus, "\(run.errors)")
                #expect(exitStatus <= 2 || run.errors.hasPrefix("security: "))
            }
        }
    }

    /// `security error` explains each exit status by every status that leads to it.
    @Test func everyStatusIsAmongThoseOfItsExitStatus() {
        for code in StatusCatalogue.codes where code != 0 {
            let exitStatus = ExitStatus.of(Status(rawValue: code))
            let name = StatusCatalogue.entry(for: code)?.name ?? ""
            #expect(ExitStatus.explanation(of: exitStatus).contains(": \(name) \(code) "))
        }
        for exitStatus: Int32 in 1...255 {
            let run = ToolRun(["error", "\(exitStatus)"])
            #expect(run.exitStatus == 1 && run.text.contains("\nExit status \(exitStatus): ") && run.errors.isEmpty)
        }
    }

    /// An unwritable standard error does not change the exit status.
    @Test func aFullStandardErrorHidesNoStatus() {
        let nowhere = Output(descriptor: 2, isTerminal: false) { _, _ in (-1, ENOSPC) }
        let context = ToolContext(
            keychain: FakeKeychain(), output: nowhere, errors: nowhere, standardInput: -1, openTerminal: { -1 })
        #expect(SecurityTool.run(["item", "find", "-s", "none"], in: context) == 44)
        #expect(SecurityTool.run(["nonsense"], in: context) == 1)
        #expect(SecurityTool.run(["item", "list", "--nonsense"], in: context) == 2)
        #expect(SecurityTool.run(["item", "list"], in: context) == 1)
    }

    @Test func argumentsThatAreNoTextAreRefused() {
        let words: [[CChar]] = [Array("security".utf8CString), Array("item".utf8CString), [-61, 40, 0]]
        let strings = words.map { word in word.withUnsafeBufferPointer { strdup($0.baseAddress.unsafelyUnwrapped) } }
        defer { for string in strings { free(string) } }
        var list = strings + [nil]
        let context = ToolContext(
            keychain: FakeKeychain(), output: Output(descriptor: -1, isTerminal: false),
            errors: Output(descriptor: -1, isTerminal: false), standardInput: -1, openTerminal: { -1 })
        let exitStatus = list.withUnsafeMutableBufferPointer { list in
            SecurityTool.run(arguments: list.baseAddress.unsafelyUnwrapped, count: 3, in: context)
        }
        #expect(exitStatus == 2)
    }
}
