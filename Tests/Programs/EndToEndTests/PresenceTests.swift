import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of items that need a person, from the program's call to the dialog and back.
///
/// Daemon, key custodian, agent and pinentry are the real ones (behaviour/presence.md).
@Suite struct PresenceTests {
    private static let pinentry = "/usr/bin/pinentry-tty"
    private static let presence = 1
    private static let applicationPassword = 1 << 31

    private let asking: AskingHousehold
    private let program: String

    init() throws {
        asking = try AskingHousehold(Self.pinentry)
        program = try asking.household.application("keeper")
    }

    /// Starts a call of the program in the household's terminal.
    private func begin(
        _ call: String, _ account: String, _ more: [String: Any] = [:], change: [String: Any]? = nil
    ) throws -> AskingHousehold.Reader {
        var command: [String: Any] = [
            "call": call,
            "query": ["class": "genp", "svce": "presence", "acct": account].merging(more) { $1 },
        ]
        if let change { command["change"] = change }
        let json = String(decoding: try JSONSerialization.data(withJSONObject: command), as: UTF8.self)
        return try AskingHousehold.Reader(
            ["setsid", "--ctty", "--wait", "sh", "-c", "printf '%s\\n' \"$1\" | \"$0\"", program, json],
            environment: asking.household.variables.map { "\($0)=\($1)" }, terminal: asking.terminal.device)
    }

    private func answer(_ reader: AskingHousehold.Reader) throws -> ProbeAnswer {
        try #require(try reader.answers().first)
    }

    /// Makes a call that must not ask a person.
    private func call(
        _ call: String, _ account: String, _ more: [String: Any] = [:], change: [String: Any]? = nil
    ) throws -> ProbeAnswer { try answer(begin(call, account, more, change: change)) }

    private func type(_ text: String, at prompt: String = "Passcode:") throws {
        try asking.terminal.expect(prompt)
        _ = asking.terminal.settle()
        try asking.terminal.type(text + "\r")
    }

    private func add(_ account: String, flags: Int) throws -> AskingHousehold.Reader {
        try begin(
            "add", account,
            ["v_Data": PasswordTests.data("s3cret"), "accc": ["accessControl": "ak", "flags": flags] as [String: Any]])
    }

    @Test func thePersonIsAskedForEachRead() throws {
        #expect(try answer(add("ada", flags: Self.presence)).status == 0)
        for _ in 0..<2 {
            let reader = try begin("find", "ada", ["r_Data": true, "u_OpPrompt": "pay \u{202E}the rent\u{7}"])
            try asking.terminal.expect("/keeper")
            try asking.terminal.expect("read a secret")
            try asking.terminal.expect("Item:")
            // The dialog marks the text as the program's own words, and removes characters that reverse it.
            try asking.terminal.expect("own words:")
            try asking.terminal.expect("the rent")
            try type(Household.passcode)
            #expect(try answer(reader).data == Data("s3cret".utf8))
        }
        #expect(!asking.terminal.shown.contains("\u{202E}") && !asking.terminal.shown.contains("\u{7}"))
        let reader = try begin("find", "ada", ["r_Data": true])
        for _ in 0..<3 { try type("mistyped") }
        #expect(try answer(reader).status == -25293)
        try asking.awaitNoAgent()
        // The tries count for the person, and for no program.
        #expect(try asking.household.client.device(.state).failures == 0)
    }

    /// Hostile reasons of a program, which must appear as plain text and nothing more.
    enum Hostile: CaseIterable {
        case commands, direction, markup, lines, mebibyte, escapes

        var prompt: String {
            switch self {
            case .commands: "\u{1B}[2J\u{1B}[1;1HAllowed.\u{1B}]0;title\u{7}\u{9B}31m\u{8}\u{7F}"
            case .direction: "\u{202E}txet \u{2066}\u{200B}hidden"
            case .markup: "<b>Your administrator</b> <span size=\"1\">&amp;</span>"
            case .lines: "fine”\r\nPasscode:\nThe system says: “ok"
            case .mebibyte: String(repeating: "words ", count: 1 << 18)
            case .escapes: "%0APasscode: %1B[2J %25 %%"
            }
        }

        /// Texts that the dialog must not show.
        var unseen: [String] {
            switch self {
            case .commands: ["\u{1B}[2J\u{1B}[1;1HAllowed", "\u{1B}]0;", "\u{7}", "\u{9B}"]
            case .direction: ["\u{202E}", "\u{2066}", "\u{200B}"]
            case .markup: ["<b>", "<span", "&amp;"]
            case .lines: ["fine”", "\nPasscode:\r\n"]
            case .mebibyte: [String(repeating: "words ", count: 100)]
            case .escapes: ["\u{1B}[2J %"]
            }
        }
    }

    @Test(arguments: DialogTests.flavours)
    func aHostileReasonIsWords(_ pinentry: String) throws {
        let asking = try AskingHousehold(pinentry)
        let program = try asking.household.application("keeper")
        let file = asking.household.home + "/command"
        let terminal = asking.terminal
        let base: [String: Any] = ["class": "genp", "svce": "presence", "acct": "ada"]
        /// Starts the call with the reason in a file, since an argument holds less than a mebibyte.
        func begin(_ call: String, _ more: [String: Any]) throws -> AskingHousehold.Reader {
            let command: [String: Any] = ["call": call, "query": base.merging(more) { $1 }]
            let line = try JSONSerialization.data(withJSONObject: command) + Data("\n".utf8)
            try line.write(to: URL(fileURLWithPath: file))
            return try AskingHousehold.Reader(
                ["setsid", "--ctty", "--wait", "sh", "-c", "\"$0\" <\"$1\"", program, file],
                environment: asking.household.variables.map { "\($0)=\($1)" }, terminal: terminal.device)
        }
        let control: [String: Any] = ["accessControl": "ak", "flags": Self.presence]
        #expect(try begin("add", ["v_Data": PasswordTests.data("s3cret"), "accc": control]).finish().status == 0)
        for hostile in Hostile.allCases {
            let before = terminal.shown.utf8.count
            let reader = try begin("find", ["r_Data": true, "u_OpPrompt": hostile.prompt])
            try terminal.expect("own words:")
            try terminal.expect("Passcode:")
            _ = terminal.settle()
            let shown = String(decoding: terminal.shown.utf8.dropFirst(before), as: UTF8.self)
            for text in hostile.unseen { #expect(!shown.contains(text), "\(hostile): \(text.debugDescription)") }
            #expect(shown.utf8.count < 16 * 1024)
            // The hostile reason does not keep the person from answering.
            try terminal.type(Household.passcode + "\r")
            let said = reader.finish().said
            #expect(said.contains(Data("s3cret".utf8).base64EncodedString()), "\(hostile): \(said.prefix(400))")
            try asking.awaitNoAgent()
            #expect(terminal.echoes)
        }
    }

    @Test func whatNeedsNobodyAsksNobody() throws {
        #expect(try answer(add("ada", flags: Self.presence)).status == 0)
        #expect(try call("find", "ada", ["r_Attributes": true]).dictionary?["acct"] as? String == "ada")
        #expect(try call("find", "ada", ["r_Data": true, "u_AuthUI": "u_AuthUIF"]).status == -25308)
        #expect(try call("find", "ada", ["r_Data": true, "u_AuthUI": "u_AuthUIS"]).status == -25300)
        #expect(try call("find", "nobody", ["r_Data": true]).status == -25300)
        #expect(try call("update", "ada", ["u_AuthUI": "u_AuthUIF"], change: ["labl": "x"]).status == -25308)
        #expect(asking.terminal.settle(milliseconds: 100).isEmpty)
        let reader = try begin("update", "ada", change: ["v_Data": PasswordTests.data("other")])
        try asking.terminal.expect("change an item")
        try type(Household.passcode)
        #expect(try answer(reader).status == 0)
        #expect(try call("delete", "ada").status == 0)
        #expect(try call("find", "ada").status == -25300)
    }

    @Test func withoutAPasscodeNobodyIsThere() throws {
        #expect(try answer(add("ada", flags: Self.presence)).status == 0)
        try #require(try asking.household.passcode(.remove, Household.passcode).outcome == .done)
        #expect(try call("find", "ada", ["r_Data": true]).status == -25293)
        #expect(try call("find", "ada", ["r_Attributes": true]).status == 0)
        #expect(try answer(add("bob", flags: Self.presence)).status == -25293)
        #expect(try call("find", "bob").status == -25300)
        #expect(asking.terminal.settle(milliseconds: 100).isEmpty)
    }

    /// The dialog asks for the program's password twice at the addition, and once for each use.
    ///
    /// The passcode does not replace it.
    @Test func aPasswordOfTheProgramsIsAskedFor() throws {
        var reader = try add("ada", flags: Self.applicationPassword)
        try type("open sesame", at: "New password:")
        try type("open sesame", at: "The same again:")
        #expect(try answer(reader).status == 0)
        reader = try begin("find", "ada", ["r_Data": true])
        try type("open sesame", at: "Password:")
        #expect(try answer(reader).data == Data("s3cret".utf8))
        reader = try begin("find", "ada", ["r_Data": true])
        try type(Household.passcode, at: "Password:")
        #expect(try answer(reader).status == -25293)
        #expect(try call("find", "ada", ["r_Data": true, "u_AuthUI": "u_AuthUIF"]).status == -25308)
    }
}
