import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of what an `LAContext` remembers, and for whom, with the real program calls, daemons, agent and pinentry.
@Suite struct ContextTests {
    private static let presence = 1
    /// Presence, and what the access control of a key has to have.
    private static let keyPresence = 1 | 1 << 30
    private static let applicationPassword = 1 << 31

    private let asking: AskingHousehold
    private let program: String

    init() throws {
        asking = try AskingHousehold("/usr/bin/pinentry-tty")
        program = try asking.household.application("keeper")
    }

    private typealias Command = [String: Any]

    /// Runs one process of the program in the household's terminal, which makes these calls one after the other.
    private func run(_ commands: [Command], _ meanwhile: () throws -> Void = {}) throws -> [ProbeAnswer] {
        try asking.answers(of: program, to: commands, meanwhile)
    }

    private static func item(_ account: String, _ more: [String: Any] = [:]) -> [String: Any] {
        ["class": "genp", "svce": "contexts", "acct": account].merging(more) { $1 }
    }

    private static func control(_ flags: Int) -> [String: Any] { ["accessControl": "ak", "flags": flags] }

    private static func add(_ account: String, _ flags: Int, _ more: [String: Any] = [:]) -> Command {
        let values: [String: Any] = ["v_Data": PasswordTests.data("s3cret-\(account)"), "accc": control(flags)]
        return ["call": "add", "query": item(account, values.merging(more) { $1 })]
    }

    /// A call that reads a secret with the given context, or with none.
    private static func find(_ account: String, _ context: Int? = nil, _ more: [String: Any] = [:]) -> Command {
        var query = item(account, ["r_Data": true]).merging(more) { $1 }
        if let context { query["u_AuthCtx"] = ["context": context] }
        return ["call": "find", "query": query]
    }

    private static var make: Command { ["call": "context"] }

    @Test func whatWasShownCountsInTheContextAlone() throws {
        let answers = try run([
            Self.add("ada", Self.presence), Self.make, Self.find("ada", 0), Self.find("ada", 0), Self.make,
            Self.find("ada", 1), Self.find("ada", 0), Self.find("ada"),
        ]) {
            for _ in 0..<3 { try asking.type(Household.passcode) }
        }
        #expect(answers.allSatisfy { $0.status == 0 })
        #expect(answers.compactMap(\.data).count == 5)
    }

    @Test func aPolicyStandsForEveryItem() throws {
        let answers = try run([
            Self.add("ada", Self.presence), Self.add("bob", Self.presence), Self.make,
            ["call": "canEvaluate", "context": 0, "policy": 2],
            ["call": "evaluate", "context": 0, "why": "open \u{202E}it"],
            ["call": "evaluate", "context": 0], ["call": "set", "context": 0, "silent": true], Self.find("ada", 0),
            Self.find("bob", 0), ["call": "evaluate", "context": 0], ["call": "evaluate", "context": 0, "why": ""],
        ]) {
            try asking.terminal.expect("wants to know that it is you")
            try asking.terminal.expect("own words: “open")
            try asking.type(Household.passcode)
        }
        #expect(answers.map(\.status) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -50])
        #expect(!asking.terminal.shown.contains("\u{202E}") && !asking.terminal.shown.contains("\u{7}"))
    }

    @Test func wrongPasscodesAndNobodyToAsk() throws {
        let answers = try run([
            Self.make, ["call": "evaluate", "context": 0], ["call": "context", "silent": true],
            ["call": "evaluate", "context": 1], Self.add("ada", Self.presence), Self.find("ada", 1),
            Self.find("ada", 0, ["u_AuthUI": "u_AuthUIF"]), ["call": "canEvaluate", "context": 0, "policy": 3],
        ]) {
            for _ in 0..<3 { try asking.type("mistyped") }
        }
        #expect(answers.map(\.status) == [0, -1, 0, -1004, 0, -25308, -25308, -11])
        try asking.awaitNoAgent()
        #expect(try asking.household.client.device(.state).failures == 0, "they are the person's, and no program's")
    }

    @Test func anInvalidatedContextIsOfNoUse() throws {
        let answers = try run([
            Self.add("ada", Self.presence), Self.make, ["call": "evaluate", "context": 0, "invalidateAfter": 1500],
            Self.find("ada", 0), ["call": "evaluate", "context": 0],
            ["call": "canEvaluate", "context": 0, "policy": 2],
            ["call": "credential", "context": 0, "password": "x"], Self.make, Self.find("ada", 1),
            ["call": "invalidate", "context": 1], Self.find("ada", 1),
        ]) {
            try asking.terminal.expect("Passcode:")
            // The passcode is for the other context's dialog, which is shown once this one is gone.
            try asking.type(Household.passcode)
        }
        #expect(answers.map(\.status) == [0, 0, -9, -25293, -10, -10, 1, 0, 0, 0, -25293])
    }

    /// A program finds a key once, and says the reason of each signature, and whether to ask, before that signature.
    @Test func aKeyAsksAsItsContextSaysThen() throws {
        func use(_ key: Int) -> Command {
            [
                "call": "sign", "algorithm": KeyItemTests.ecdsa,
                "query": ["key": ["reference": key], "data": KeyItemTests.message],
            ]
        }
        let made: [String: Any] = ["type": KeyItemTests.ec, "bsiz": 256, "perm": true, "public": ["perm": false]]
        let found: [String: Any] = ["class": "keys", "r_Ref": true]
        let answers = try run([
            ["call": "makeKey", "query": made.merging(["accc": Self.control(Self.keyPresence)]) { $1 }],
            ["call": "context", "silent": true],
            ["call": "find", "query": found.merging(["u_AuthCtx": ["context": 0]]) { $1 }], use(1),
            ["call": "set", "context": 0, "silent": false, "reason": "sign the letter"], use(1),
            ["call": "context"],
            ["call": "find", "query": found.merging(["u_AuthCtx": ["context": 1]]) { $1 }],
            ["call": "set", "context": 1, "silent": true], use(2),
            // What the query itself says stays with the key.
            ["call": "find", "query": found.merging(["u_OpPrompt": "pay the bill"]) { $1 }], use(3),
            ["call": "find", "query": found.merging(["u_AuthUI": "u_AuthUIF"]) { $1 }], use(4),
            ["call": "keyAttributes", "query": ["key": ["reference": 3]]],
        ]) {
            try asking.terminal.expect("own words: “sign the letter”")
            try asking.type(Household.passcode)
            try asking.terminal.expect("own words: “pay the bill”")
            try asking.type(Household.passcode)
        }
        #expect(answers.map(\.status) == [0, 0, 0, -1004, 0, 0, 0, 0, 0, -1004, 0, 0, 0, -1004, 0])
        #expect(answers.last?.dictionary?["accc"] != nil && answers.last?.dictionary?["pdmn"] as? String == "ak")
    }

    /// The context may be in the dictionary for the private key.
    @Test func aContextOfThePrivateKeyCounts() throws {
        let own: [String: Any] = [
            "perm": true, "accc": Self.control(Self.keyPresence), "u_AuthCtx": ["context": 0],
        ]
        let answers = try run([
            ["call": "context", "silent": true],
            [
                "call": "makeKey",
                "query": ["type": KeyItemTests.ec, "bsiz": 256, "private": own, "public": ["perm": false]],
            ],
            [
                "call": "sign", "algorithm": KeyItemTests.ecdsa,
                "query": ["key": ["reference": 0], "data": KeyItemTests.message],
            ],
            ["call": "invalidate", "context": 0],
            [
                "call": "makeKey",
                "query": ["type": KeyItemTests.ec, "bsiz": 256, "private": own, "public": ["perm": false]],
            ],
            // A call about file keychains asks nobody for the context, and heeds its end.
            ["call": "find", "query": ["class": "genp", "m_SearchList": [Any](), "u_AuthCtx": ["context": 0]]],
        ])
        #expect(answers.map(\.status) == [0, 0, -1004, 0, -25293, -25293])
    }

    @Test func aSearchThatSkipsLeavesOutOtherPasswords() throws {
        let skip: [String: Any] = ["u_AuthUI": "u_AuthUIS"]
        let all = Self.item("", skip.merging(["r_Data": true, "m_Limit": "m_LimitAll"]) { $1 })
            .filter { $0.key != "acct" }
        let answers = try run([
            Self.make, ["call": "credential", "context": 0, "password": "one"], Self.make,
            ["call": "credential", "context": 1, "password": "two"],
            Self.add("ada", Self.applicationPassword, ["u_AuthCtx": ["context": 0]]),
            Self.add("bob", Self.applicationPassword, ["u_AuthCtx": ["context": 1]]),
            Self.add("cyd", 0), ["call": "find", "query": all.merging(["u_AuthCtx": ["context": 0]]) { $1 }],
            ["call": "find", "query": all], Self.find("bob", 0, skip), Self.find("bob", 1, skip),
        ])
        #expect(answers.map(\.status) == [0, 0, 0, 0, 0, 0, 0, 0, 0, -25300, 0])
        #expect((answers[7].result as? [Any])?.count == 2 && (answers[8].result as? [Any])?.count == 1)
    }

    @Test func aPasswordOfTheProgramsIsGivenByIt() throws {
        let answers = try run([
            Self.make, ["call": "credential", "context": 0, "password": "open sesame"],
            Self.add("ada", Self.applicationPassword, ["u_AuthCtx": ["context": 0]]), Self.find("ada", 0), Self.make,
            ["call": "credential", "context": 1, "password": "close sesame"], Self.find("ada", 1),
            ["call": "credential", "context": 1], Self.find("ada", 1, ["u_AuthUI": "u_AuthUIF"]),
            ["call": "credential", "context": 1, "password": "open sesame"], Self.find("ada", 1),
            Self.find("ada", nil, ["u_AuthUI": "u_AuthUIF"]),
            ["call": "credential", "context": 1, "password": String(repeating: "x", count: 1025)], Self.find("ada", 1),
        ])
        #expect(answers.map(\.status) == [0, 0, 0, 0, 0, 0, -25293, 0, -25308, 0, 0, -25308, 1, 0])
        #expect(answers[1].result as? Bool == true && answers[7].result as? Bool == false)
        #expect(asking.terminal.settle(milliseconds: 100).isEmpty)
    }

    /// A context can carry both presence and the program's password; an item without constraints needs neither.
    @Test func anAccessControlIsSatisfiedBeforehand() throws {
        let both = Self.presence | Self.applicationPassword
        let answers = try run([
            Self.make, ["call": "evaluateControl", "context": 0, "control": Self.control(both), "operation": 0],
            Self.add("ada", both, ["u_AuthCtx": ["context": 0]]),
            ["call": "evaluateControl", "context": 0, "control": Self.control(both)], Self.find("ada", 0),
            Self.add("bob", Self.presence), Self.find("bob", 0, ["u_AuthUI": "u_AuthUIF"]),
            ["call": "evaluateControl", "context": 0, "control": Self.control(0)],
            ["call": "add", "query": Self.item("plain", ["v_Data": PasswordTests.data("open")])],
            Self.find("plain", 0),
        ]) {
            try asking.terminal.expect("wants to add items")
            try asking.type("open sesame", at: "New password:")
            try asking.type("open sesame", at: "The same again:")
            try asking.terminal.expect("wants to use items")
            try asking.type(Household.passcode)
        }
        #expect(answers.map(\.status) == [0, 0, 0, 0, 0, 0, -25308, 0, 0, 0])
    }

    @Test func lockingForgetsIt() throws {
        let answers = try run([
            Self.add("ada", Self.presence), Self.make, Self.find("ada", 0), ["call": "lock"], Self.find("ada", 0),
            ["call": "unlock", "passcodes": [Household.passcode]], Self.find("ada", 0, ["u_AuthUI": "u_AuthUIF"]),
            Self.find("ada", 0),
        ]) {
            for _ in 0..<2 { try asking.type(Household.passcode) }
        }
        #expect(answers.map(\.status) == [0, 0, 0, 0, -25308, 0, -25308, 0])
    }

    /// A program has more contexts than it may have connections.
    ///
    /// Each works, and a context that lost its connection authenticates again.
    @Test func contextsMakeRoomForEachOther() throws {
        let count = 10
        let password: (Int) -> Command = { ["call": "credential", "context": $0, "password": "open sesame"] }
        var commands = [
            Self.make, password(0), Self.add("ada", Self.applicationPassword, ["u_AuthCtx": ["context": 0]]),
        ]
        for number in 1..<count { commands += [Self.make, password(number), Self.find("ada", number)] }
        commands += (0..<count).map { Self.find("ada", $0) }
        // Dropped contexts free their places too.
        commands +=
            (0..<count).map { ["call": "drop", "context": $0] } + [Self.make, password(count), Self.find("ada", count)]
        let answers = try run(commands)
        #expect(answers.allSatisfy { $0.status == 0 })
        #expect(try asking.household.client.status().facts.isEmpty == false)
    }

    /// Eight calls of a program may wait for a person.
    ///
    /// What needs nobody goes on, in further contexts, too, and what needs one fails at once.
    @Test func whoWaitsForAPersonHoldsUpNoOtherContext() throws {
        let (waiting, further) = (9, 9)
        let plain: [String: Any] = ["v_Data": PasswordTests.data("open")]
        var commands: [Command] = [["call": "add", "query": Self.item("plain", plain)]]
        commands += (0...waiting).map { _ in Self.make }
        commands += (0..<waiting).map { ["call": "evaluate", "context": $0, "begins": true] }
        let first = commands.count
        commands += [
            ["call": "evaluations", "count": 1], Self.find("plain", further), Self.find("plain"),
            ["call": "evaluate", "context": further], ["call": "set", "context": further, "silent": true],
            ["call": "evaluate", "context": further], Self.make,
            ["call": "set", "context": further + 1, "silent": true], ["call": "evaluate", "context": further + 1],
        ]
        commands += (0..<waiting).map { ["call": "invalidate", "context": $0] }
        commands += [["call": "evaluations", "count": waiting - 1]]
        let answers = try run(commands)
        #expect(answers[first].result as? [Int] == [-4], "one of the nine was too many")
        #expect(answers[(first + 1)..<(first + 9)].map(\.status) == [0, 0, -4, 0, -1004, 0, 0, -1004])
        #expect(answers.last?.result as? [Int] == Array(repeating: -9, count: 8) + [-4])
    }

    /// A password that a person has typed is asked for again where it opened nothing, and where the program takes it
    /// away.
    @Test func aTypedPasswordIsForgotten() throws {
        let answers = try run([
            Self.make, ["call": "credential", "context": 0, "password": "open sesame"],
            Self.add("ada", Self.applicationPassword, ["u_AuthCtx": ["context": 0]]), Self.make, Self.find("ada", 1),
            Self.find("ada", 1), Self.find("ada", 1), ["call": "credential", "context": 1],
            Self.find("ada", 1, ["u_AuthUI": "u_AuthUIF"]),
        ]) {
            try asking.type("open says me", at: "assword:")
            try asking.type("open sesame", at: "assword:")
        }
        #expect(answers.map(\.status) == [0, 0, 0, 0, -25293, 0, 0, 0, -25308])
    }

    /// A context belongs to one process: neither its child nor another process of the program can use it.
    @Test func itBelongsToItsProcess() throws {
        let answers = try run([
            Self.add("ada", Self.presence), Self.make, Self.find("ada", 0),
            ["call": "fork", "query": Self.item("ada", ["r_Data": true, "u_AuthCtx": ["context": 0]])],
        ]) { try asking.type(Household.passcode) }
        #expect(answers.prefix(3).allSatisfy { $0.status == 0 })
        #expect(answers[3].result as? [Int] == [0, -25293, -25293, 0])
        #expect(try run([Self.find("ada", nil, ["u_AuthUI": "u_AuthUIF"])]).map(\.status) == [-25308])
    }

    @Test func withoutAPasscodeNobodyIsThere() throws {
        try #require(try asking.household.passcode(.remove, Household.passcode).outcome == .done)
        let answers = try run([
            Self.make, ["call": "canEvaluate", "context": 0, "policy": 2], ["call": "evaluate", "context": 0],
            ["call": "canEvaluate", "context": 0, "policy": 1],
            ["call": "evaluateControl", "context": 0, "control": Self.control(Self.presence)],
        ])
        #expect(answers.map(\.status) == [0, -5, -5, -5, -5])
    }

    /// A new custodian remembers no earlier authentication; the client gives the program's password again.
    @Test func aCustodianThatDiedRemembersNothing() throws {
        let answers = try run([
            Self.make, ["call": "credential", "context": 0, "password": "open sesame"], Self.add("ada", Self.presence),
            Self.add("bob", Self.applicationPassword, ["u_AuthCtx": ["context": 0]]),
            ["call": "evaluate", "context": 0],
            Self.find("ada", 0), Self.make, ["call": "evaluate", "context": 1],
            ["call": "unlock", "passcodes": [Household.passcode]], Self.find("ada", 0, ["u_AuthUI": "u_AuthUIF"]),
            Self.find("bob", 0),
        ]) {
            try asking.type(Household.passcode)
            try asking.terminal.expect("Passcode:")
            try asking.household.killCustodian()
            _ = asking.terminal.settle()
            try asking.terminal.type(Household.passcode + "\r")
        }
        // The next custodian also checks the passcode, unless the last one already had it.
        #expect([0, -4].contains(answers[7].status))
        #expect(
            answers.enumerated().filter { $0.offset != 7 }.map(\.element.status) == [0, 0, 0, 0, 0, 0, 0, 0, -25308, 0])
    }
}
