import Foundation
import TestSupport
import Testing

/// Tests of `kSecKeySecurePassphrase`, with the real agent and a real pinentry (behaviour/import-export.md).
///
/// A person gives the passphrase of a file, and the program does not see it.
@Suite struct PassphraseDialogTests {
    private enum Expected {
        static let authFailed = -25293
        static let interactionNotAllowed = -25308
        static let userCanceled = -128
    }

    /// The value of `kSecKeySecurePassphrase`.
    private static let secure = 2
    private static let (pkcs12, openSSL) = (12, 1)
    private static let prompt = "Passphrase:"

    private let asking: AskingHousehold
    private let program: String

    init() throws {
        asking = try AskingHousehold("/usr/bin/pinentry-tty", hasPasscode: false)
        program = try asking.household.application("importer")
    }

    private func fixture(_ name: String) throws -> String {
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/\(name)")
        return try Data(contentsOf: place).base64EncodedString()
    }

    private func importing(_ more: [String: Any] = [:], flags: Int = secure) throws -> [String: Any] {
        ["call": "import", "data": try fixture("modern.p12"), "flags": flags].merging(more) { $1 }
    }

    @Test func aPersonGivesTheOneOfAFile() throws {
        let command = try importing(["words": ["Backup", "its passphrase"]])
        let answers = try asking.answers(of: program, to: [command]) {
            try asking.terminal.expect("wants to read a file of keys")
            try asking.terminal.expect("Backup: its passphrase")
            try asking.type("wrong", at: Self.prompt)
            try asking.terminal.expect("Wrong password.")
            try asking.type("password", at: Self.prompt)
        }
        #expect(answers.map(\.status) == [0])
        let items = try #require(answers.first?.dictionary?["items"] as? [String])
        #expect(items.count == 3 && items[0].hasPrefix("identity "))
    }

    @Test func wrongOnesComeToAnEnd() throws {
        // The third call causes no dialog.
        let answers = try asking.answers(of: program, to: Array(repeating: try importing(), count: 3)) {
            for _ in 0..<3 { try asking.type("wrong", at: Self.prompt) }
            // An empty passphrase cancels.
            try asking.type("", at: Self.prompt)
        }
        #expect(answers.map(\.status) == [Expected.authFailed, Expected.userCanceled, Expected.authFailed])
    }

    @Test func aNewOneIsTypedTwice() throws {
        let command: [String: Any] = [
            "call": "convert", "data": try fixture("modern.p12"), "passphrase": "password", "to": Self.pkcs12,
            "newFlags": Self.secure,
        ]
        let answers = try asking.answers(of: program, to: [command]) {
            try asking.terminal.expect("wants to write keys into a file")
            try asking.type("correct horse", at: "New passphrase:")
            try asking.type("correct mule", at: "The same again:")
            try asking.terminal.expect("two different")
            try asking.type("correct horse", at: "New passphrase:")
            try asking.type("correct horse", at: "The same again:")
        }
        #expect(answers.map(\.status) == [0])
        let file = try #require(answers.first?.result as? String)
        let probe = try asking.household.probe("importer")
        func status(_ passphrase: String) throws -> Int {
            try probe.ask(["call": "import", "data": file, "passphrase": passphrase]).status
        }
        #expect(try status("correct horse") == 0 && status("correct mule") == Expected.authFailed)
    }

    /// No dialog appears if the passphrase is not needed, is already given, or is forbidden to be asked for.
    @Test func nobodyIsAskedInVain() throws {
        let open: [String: Any] = [
            "call": "convert", "data": try fixture("modern.p12"), "passphrase": "password", "to": Self.openSSL,
            "newFlags": Self.secure,
        ]
        let forbid: [String: Any] = ["call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false]
        let commands = [
            try importing(["passphrase": "password"]), try importing(["passphrase": "other"]),
            try importing(["data": try fixture("in-the-open.p12")]), open, forbid,
            try importing(),
        ]
        let answers = try asking.answers(of: program, to: commands)
        // The format of a key has no place for the certificates of the file.
        let written = try #require(answers.dropFirst(3).first).status
        #expect(written != Expected.interactionNotAllowed)
        #expect(answers[0].status == 0 && answers[1].status == Expected.authFailed && answers[2].status == 0)
        #expect(answers[4].status == 0 && answers[5].status == Expected.interactionNotAllowed)
        #expect(asking.terminal.settle(milliseconds: 100).isEmpty)
    }
}
