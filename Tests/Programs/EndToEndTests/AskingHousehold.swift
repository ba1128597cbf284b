import ChatelaineIPC
import Foundation
import Glibc
import TestSupport
import Testing

/// A household whose daemon asks a person about some items, by the real agent and a real pinentry.
final class AskingHousehold {
    let household: Household
    let terminal: TestTerminal
    private let daemon: ChildProcess

    /// - Parameters:
    ///   - display: the display that the daemon is started with.
    init(
        _ pinentry: String, seconds: Int = 120, display: String? = nil, hasPasscode: Bool = true,
        uid: uid_t = geteuid()
    ) throws {
        household = try Household(uid: uid)
        terminal = try TestTerminal()
        if uid != geteuid() { try terminal.give(to: uid) }
        daemon = try ChildProcess(
            [BuildFolder.program("asking-securityd"), pinentry, "\(seconds)"], user: uid,
            environment: household.variables.map { "\($0)=\($1)" } + (display.map { ["DISPLAY=\($0)"] } ?? []),
            inheritsOthers: false)
        let (home, pid) = (household, daemon.pid)
        try until("the daemon serves") { home.daemonPID == pid }
        guard hasPasscode else { return }
        try #require(try household.passcode(.set, Household.passcode).outcome == .done)
        for account in ["plain", "consent", "passcode"] {
            let added = try Program(
                ["sh", "-c", "printf s3cret-\(account) | \"$0\" item add -s dialogs -a \(account) --stdin", tool],
                environment: household.variables)
            try #require(added.finish() == 0)
        }
    }

    /// Stores an item for the tool that asks for its owner at each use.
    func addGuarded(_ account: String, accessControl: String = "userPresence") throws {
        let added = try Program(
            [
                "sh", "-c", "printf s3cret-$1 | \"$0\" item add -s dialogs -a $1 --stdin --access-control $2", tool,
                account, accessControl,
            ], environment: household.variables)
        try #require(added.finish() == 0)
    }

    var tool: String { BuildFolder.program("security") }

    /// The number of requests that wait for a person.
    var waiting: UInt64 {
        get throws {
            let fact = try household.client.status().facts.first { $0.name == "requests.waiting" }
            guard case .number(let number)? = fact?.value else { return 0 }
            return UInt64(number)
        }
    }

    /// Runs `security` to read a secret, in the household's terminal or in none.
    func reader(of account: String, inTerminal: Bool = true) throws -> Reader {
        try Reader(
            (inTerminal ? ["setsid", "--ctty", "--wait"] : ["setsid", "--wait"])
                + [tool, "item", "find", "-s", "dialogs", "-a", account, "--secret"],
            environment: household.variables.map { "\($0)=\($1)" }, terminal: terminal.device)
    }

    /// The answers to calls that one process of a program makes one after the other in the household's terminal.
    func answers(
        of program: String, to commands: [[String: Any]], variables: [String: String] = [:],
        _ meanwhile: () throws -> Void = {}
    ) throws -> [ProbeAnswer] {
        let lines = try commands.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
        let reader = try Reader(
            ["setsid", "--ctty", "--wait", "sh", "-c", "printf '%s\\n' \"$@\" | \"$0\"", program] + lines,
            environment: household.variables.merging(variables) { $1 }.map { "\($0)=\($1)" },
            terminal: terminal.device, user: household.uid)
        try meanwhile()
        let answers = try reader.answers()
        try #require(answers.count == commands.count)
        return answers
    }

    func type(_ text: String, at prompt: String = "Passcode:") throws {
        try terminal.expect(prompt)
        _ = terminal.settle()
        try terminal.type(text + "\r")
    }

    /// Runs `count` readers at once in the household's terminal.
    func readers(of account: String, count: Int) throws -> Reader {
        let numbers = (1...count).map { "\($0)" }.joined(separator: " ")
        // The shell's `wait` never learns of the children's end where the thread of the test runner blocks signals.
        let loop = "{ for number in \(numbers); do \"$0\" item find -s dialogs -a \(account) --secret & done; } | cat"
        return try Reader(
            ["setsid", "--ctty", "--wait", "sh", "-c", loop, tool],
            environment: household.variables.map { "\($0)=\($1)" }, terminal: terminal.device)
    }

    /// The agents that run, and their pinentries.
    var agents: [pid_t] {
        ProcessTable.children(of: daemon.pid).filter { ProcessTable.name(of: $0) == "securityd-ask" }
            .flatMap { ProcessTable.children(of: $0) }
    }

    /// Waits until no agent or pinentry of a dialog is left.
    func awaitNoAgent() throws {
        try until("no agent is left") { agents.isEmpty }
    }

    /// A program that reads a secret, and its output.
    final class Reader {
        let process: ChildProcess
        private let output: TestPipe

        init(_ words: [String], environment: [String], terminal: Int32, user: uid_t = geteuid()) throws {
            output = try TestPipe(isEnded: false)
            process = try ChildProcess(
                words, user: user, environment: environment,
                files: [(terminal, 0), (output.writing, 1), (output.writing, 2)],
                inheritsOthers: false)
            output.end()
        }

        /// All output up to the program's end, and its exit status.
        func finish() -> (said: String, status: Int32) {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(output.reading, &piece, piece.count)
                guard count > 0 else { break }
                bytes += piece.prefix(count)
            }
            return (String(decoding: bytes, as: UTF8.self), process.wait().status)
        }

        /// All answers of the probe up to its end.
        func answers() throws -> [ProbeAnswer] {
            try finish().said.split(separator: "\n").filter { $0.hasPrefix("{") }.map { line in
                let answer = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                return ProbeAnswer(status: try #require(answer["status"] as? Int, "\(line)"), result: answer["result"])
            }
        }
    }
}
