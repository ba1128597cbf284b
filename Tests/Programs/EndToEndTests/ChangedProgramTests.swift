import ChatelaineIPC
import ChatelaineMemory
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of a program whose file has changed and that asks for its item, while a person at its terminal answers.
///
/// Daemon, key custodian, agent and pinentry are the real ones (behaviour/callers.md, 9 and 10).
@Suite struct ChangedProgramTests {
    private static let authFailed = -25293
    private static let notFound = -25300

    /// The keys typed for an answer, in each flavour of pinentry.
    private enum Choice {
        case once, everywhere, refuse

        func keys(_ pinentry: String) -> String {
            guard pinentry.hasSuffix("curses") else {
                return switch self {
                case .once: "o\r"
                case .everywhere: "e\r"
                case .refuse: "r\r"
                }
            }
            return switch self {
            case .once: "\r"
            case .everywhere: "\t\r"
            case .refuse: "\t\t\r"
            }
        }
    }

    /// A household in which a program has stored an item, and whose file has changed since.
    private final class Changed {
        let asking: AskingHousehold
        let pinentry: String
        let program: String

        init(_ pinentry: String, name: String = "keeper", in asking: AskingHousehold? = nil, hasPasscode: Bool = true)
            throws
        {
            self.pinentry = pinentry
            self.asking = try asking ?? AskingHousehold(pinentry, hasPasscode: hasPasscode)
            program = try self.asking.household.application(name)
            let item = query.merging(["v_Data": PasswordTests.data("s3cret")]) { $1 }
            #expect(try ProbeProcess(program, in: self.asking.household).call("add", item).status == 0)
            try change()
        }

        var query: [String: Any] { ["class": "genp", "svce": "changed", "acct": program] }

        func change(_ text: String = "another program") throws {
            let next = program + ".next"
            try asking.household.copy(program, to: next)
            let words = ["sh", "-c", "printf \"$1\" >> \"$0\"", next, text]
            try #require(try Program(words, environment: asking.household.variables).finish() == 0)
            try #require(rename(next, program) == 0)
        }

        /// Has the program make calls one after the other on one connection, in the household's terminal.
        func begin(_ count: Int = 1, _ more: [String: Any] = [:]) throws -> AskingHousehold.Reader {
            let command: [String: Any] = [
                "call": "find", "query": query.merging(["r_Data": true]) { $1 }.merging(more) { $1 },
            ]
            let json = String(decoding: try JSONSerialization.data(withJSONObject: command), as: UTF8.self)
            let lines = Array(repeating: json, count: count)
            return try AskingHousehold.Reader(
                ["setsid", "--ctty", "--wait", "sh", "-c", "program=$0; printf '%s\\n' \"$@\" | \"$program\"", program]
                    + lines,
                environment: asking.household.variables.map { "\($0)=\($1)" }, terminal: asking.terminal.device)
        }

        func statuses(_ reader: AskingHousehold.Reader) throws -> [Int] {
            try reader.answers().map(\.status)
        }

        func choose(_ choice: Choice) throws {
            // Some pinentries show the letter that answers apart from its word.
            try asking.terminal.expect(pinentry.hasSuffix("curses") ? "<Everywhere>" : "[ore]?")
            _ = asking.terminal.settle()
            try asking.terminal.type(choice.keys(pinentry))
        }

        func type(_ text: String = Household.passcode) throws {
            try asking.terminal.expect("Passcode:")
            _ = asking.terminal.settle()
            try asking.terminal.type(text + "\r")
        }

        var states: [ApplicationDecision.State] {
            get throws { try asking.household.client.applications(.list).filter { $0.path == program }.map(\.state) }
        }
    }

    @Test(arguments: DialogTests.flavours)
    func everywhereIsForGood(_ pinentry: String) throws {
        let changed = try Changed(pinentry)
        #expect(try changed.states == [.changed])
        let reader = try changed.begin(2)
        try changed.asking.terminal.expect("keeper")
        try changed.choose(.everywhere)
        try changed.asking.terminal.expect("older")
        try changed.type()
        #expect(try changed.statuses(reader) == [0, 0])
        #expect(try changed.states == [.pinned, .accepted])
        // Nobody is asked from now on, even about a process outside the terminal.
        #expect(try ProbeProcess(changed.program, in: changed.asking.household).call("find", changed.query).status == 0)
        let record = try #require(
            try changed.asking.household.client.applications(.list).first { $0.state == .accepted })
        #expect(record.former != nil && record.former != record.digest)
        try changed.asking.awaitNoAgent()
        #expect(changed.asking.terminal.echoes)
    }

    @Test(arguments: DialogTests.flavours)
    func onlyThisTimeLastsAsLongAsTheProcess(_ pinentry: String) throws {
        let changed = try Changed(pinentry)
        let reader = try changed.begin(3)
        try changed.choose(.once)
        try changed.type()
        #expect(try changed.statuses(reader) == [0, 0, 0])
        #expect(try changed.states == [.changed])
        // The next process of the same file causes a new question. After a "no", further calls of that process cause
        // none.
        let next = try changed.begin(3)
        try changed.choose(.refuse)
        #expect(try changed.statuses(next) == [Self.authFailed, Self.authFailed, Self.authFailed])
        #expect(try changed.states == [.changed])
        try changed.asking.awaitNoAgent()
    }

    @Test(arguments: DialogTests.flavours)
    func whoDoesNotKnowThePasscodeLetsNothingIn(_ pinentry: String) throws {
        for choice in [Choice.everywhere, .once] {
            let changed = try Changed(pinentry)
            let other = try Changed(pinentry, name: "other", in: changed.asking)
            let wrong = try changed.begin(2)
            try changed.choose(choice)
            for _ in 0..<3 { try changed.type("mistyped") }
            #expect(try changed.statuses(wrong) == [Self.authFailed, Self.authFailed])
            #expect(try changed.states == [.changed])
            // A decision about one program leaves the other as it is.
            let right = try other.begin()
            try other.choose(.everywhere)
            try other.type()
            #expect(try other.statuses(right) == [0])
            #expect(try changed.states == [.changed] && other.states == [.pinned, .accepted])
        }
    }

    /// The answer counts only for the file that the question showed; it is void if another file stands there by then.
    @Test(arguments: DialogTests.flavours)
    func anotherFileMakesTheAnswerWorthless(_ pinentry: String) throws {
        for choice in [Choice.everywhere, .once] {
            let changed = try Changed(pinentry)
            let reader = try changed.begin()
            try changed.choose(choice)
            try changed.asking.terminal.expect("Passcode:")
            try changed.change("a third one")
            _ = changed.asking.terminal.settle()
            try changed.asking.terminal.type(Household.passcode + "\r")
            // The file of the running program is no longer there, so its identity is unknown.
            #expect(try changed.statuses(reader) == [-34018])
            #expect(try changed.states == [.changed])
        }
    }

    /// If the record has changed by the time of the answer, the person is asked about the new record.
    @Test func anotherRecordIsAnotherQuestion() throws {
        let changed = try Changed("/usr/bin/pinentry-tty")
        let reader = try changed.begin()
        try changed.choose(.once)
        try changed.asking.terminal.expect("Passcode:")
        let forgotten = try changed.asking.household.client.applications(
            .forget(path: changed.program), passcode: SecretBytes(Array(Household.passcode.utf8)))
        #expect(forgotten.count == 1)
        _ = changed.asking.terminal.settle()
        try changed.asking.terminal.type(Household.passcode + "\r")
        // Without a record, the program counts as one that has stored nothing, and owns what its path says.
        #expect(try changed.statuses(reader) == [0])
        #expect(try changed.states == [])
    }

    @Test func whereNobodyCanBeAskedItIsRefused() throws {
        let changed = try Changed("/usr/bin/pinentry-tty")
        // The call is refused without a terminal, where it forbids dialogs, and where it skips items that need a
        // person.
        #expect(
            try ProbeProcess(changed.program, in: changed.asking.household).call("find", changed.query).status
                == Self.authFailed)
        for word in ["u_AuthUIF", "u_AuthUIS"] {
            #expect(try changed.statuses(changed.begin(1, ["u_AuthUI": word])) == [Self.authFailed])
        }
        // In a terminal, only a passcode proves anything.
        let without = try Changed("/usr/bin/pinentry-tty", hasPasscode: false)
        #expect(try without.statuses(without.begin(2)) == [Self.authFailed, Self.authFailed])
        #expect(try without.states == [.changed])
    }
}
