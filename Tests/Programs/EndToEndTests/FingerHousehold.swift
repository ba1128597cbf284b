import Foundation
import Glibc
import TestSupport
import Testing

/// A household on its own bus with a fingerprint reader, and with a terminal that shows its dialogs.
final class FingerHousehold {
    let bus: BusHousehold
    let terminal: TestTerminal
    let program: String
    private var busProgram: Program?
    private let daemon: ChildProcess
    var reader: FakeFprintd

    var household: Household { bus.household }

    /// - Parameter fingers: the fingers that are enrolled at first.
    init(user: uid_t, fingers: String = "right-index-finger") throws {
        bus = try BusHousehold(user: user, startsDaemon: false)
        terminal = try TestTerminal()
        try terminal.give(to: user)
        program = try bus.household.application("keeper")
        busProgram = try bus.startBus()
        reader = try bus.startFprintd()
        try reader.tell("fingers \(fingers)")
        // Dialogs appear in the terminal, since the daemon has no display.
        daemon = try ChildProcess(
            bus.entering(user) + [BuildFolder.program("asking-securityd"), "/usr/bin/pinentry-tty", "120"],
            environment: bus.household.variables.map { "\($0)=\($1)" }, inheritsOthers: false)
        let household = bus.household
        try until("the daemon serves") { household.daemonPID != nil }
        try #require(try bus.security("passcode", "set", "--stdin", reads: Household.passcode) == 0)
    }

    deinit { reader.end() }

    /// Ends the bus and all connections to it.
    func endBus() { busProgram = nil }

    /// Runs one process of the program that makes calls in the terminal, one after the other.
    func run(_ commands: [[String: Any]]) throws -> AskingHousehold.Reader {
        let lines = try commands.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
        return try AskingHousehold.Reader(
            ["setsid", "--ctty", "--wait"] + bus.entering(household.uid)
                + ["sh", "-c", "printf '%s\\n' \"$@\" | \"$0\"", program] + lines,
            environment: household.variables.map { "\($0)=\($1)" }, terminal: terminal.device)
    }

    /// Starts a call of the program in the terminal.
    func begin(
        _ call: String, _ account: String, _ more: [String: Any] = [:], change: [String: Any]? = nil
    ) throws -> AskingHousehold.Reader {
        var command: [String: Any] = [
            "call": call,
            "query": ["class": "genp", "svce": "fingers", "acct": account].merging(more) { $1 },
        ]
        if let change { command["change"] = change }
        return try run([command])
    }

    func add(_ account: String, flags: Int) throws -> AskingHousehold.Reader {
        try begin(
            "add", account,
            ["v_Data": PasswordTests.data("s3cret"), "accc": ["accessControl": "ak", "flags": flags] as [String: Any]])
    }

    func read(_ account: String, _ more: [String: Any] = [:]) throws -> AskingHousehold.Reader {
        try begin("find", account, ["r_Data": true].merging(more) { $1 })
    }

    func answer(_ reader: AskingHousehold.Reader) throws -> ProbeAnswer {
        try #require(try reader.answers().first)
    }

    /// Touches the reader once a dialog waits for a finger; the reader then reports `result`.
    func touch(_ result: String = "verify-match", isDone: Bool = true) throws {
        try bus.wait(for: "wait for a finger") { try reader.isVerifying }
        try reader.tell("verify \(result) \(isDone ? 1 : 0)")
    }

    func waitUntilReleased() throws { try bus.wait(for: "release") { try !reader.isClaimed } }

    func type(_ text: String, at prompt: String = "Passcode:") throws {
        try terminal.expect(prompt)
        _ = terminal.settle()
        try terminal.type(text + "\r")
    }
}

/// The fixture of that name, which takes one line at a time.
final class FakeFprintd: Sendable {
    private let program: Program

    init(_ program: Program) throws {
        self.program = program
        _ = try program.line()
    }

    @discardableResult
    func tell(_ words: String) throws -> String {
        try program.send(Data(words.utf8))
        return String(decoding: try program.line(), as: UTF8.self)
    }

    private var state: [Int] {
        get throws { try tell("state").split(separator: " ").compactMap { Int($0) } }
    }

    var isClaimed: Bool { get throws { try state.first == 1 } }
    var isVerifying: Bool { get throws { try state.dropFirst().first == 1 } }
    /// How often a client claimed the reader.
    var claims: Int { get throws { try state.last ?? -1 } }
    /// The unique names of all other connections to the bus.
    var names: [String] { get throws { try tell("names").split(separator: " ").map { String($0) } } }

    func end() { _ = try? program.finish() }
}
