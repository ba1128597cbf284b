import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Sandbox
import TestSupport
import Testing

/// The table of words in `wire.md` is complete, and says what reports say.
@Suite struct ReportTableTests {
    private static let words: [String: [String]] = [
        "daemon.mode": Deployment.Mode.allCases.map(\.rawValue),
        "daemon.started": DaemonStart.allCases.map(\.rawValue),
        "kernel.pidfd": MessagePidfd.allCases.map(\.rawValue),
        "keychain.NAME.state": KeychainPresence.allCases.map(\.rawValue),
        "device.state": LockState.allCases.map(\.text),
        "device.passcode": PasscodePresence.allCases.map(\.rawValue),
        "device.events": SystemHearing.allCases.map(\.word),
        "device.credential": CredentialOutcome.allCases.map(\.rawValue),
        "caller.assurance": Assurance.allCases.map(\.rawValue),
        "caller.state": ApplicationState.allCases.map(\.word),
        "sandbox.M": SandboxLevel.allCases.map(\.word),
        "M": SandboxMeasure.allCases.map(\.rawValue) + ["helpers", "refused"],
    ]

    /// The rows of the table: the first name in code, and the words in code behind it.
    private static func rows() throws -> [String: [String]] {
        let page = Repository.root.appendingPathComponent("Documentation/formats/wire.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "| fact | words |"))
        var rows: [String: [String]] = [:]
        for line in lines[(start + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|", maxSplits: 1)
            let name = cells[0].split(separator: "`").dropFirst().first ?? cells[0]
            let parts = cells[1].split(separator: "`", omittingEmptySubsequences: false)
            let words = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            rows[name.trimmingCharacters(in: .whitespaces)] = words
        }
        return rows
    }

    @Test func eachRowHasAllWordsAndEachFactARow() throws {
        let rows = try Self.rows()
        #expect(Set(rows.keys) == Set(Self.words.keys))
        for (fact, words) in Self.words {
            #expect(Set(rows[fact] ?? []) == Set(words) && rows[fact]?.count == words.count, "\(fact)")
        }
    }

    @Test func eachHearingIsFoundByItsWord() {
        for hearing in SystemHearing.allCases { #expect(SystemHearing(word: hearing.word) == hearing) }
        #expect(SystemHearing(word: "nothing") == nil)
    }
}
