import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the tour that `make run` ends with (Tools/tour.sh), with the pinentry that the system has chosen.
@Suite struct TourTests {
    private let folder: TemporaryFolder
    private let words: [String]
    private let environment = ["PATH=" + Program.searchPath, "CHATELAINE_LIBEXEC=" + BuildFolder.daemons]

    init() throws {
        folder = try TemporaryFolder()
        words = [
            "bash", Repository.root.appendingPathComponent("Tools/tour.sh").path, BuildFolder.program("security"),
            folder.path,
        ]
    }

    private func expectNothingLeft() {
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
        let holders = ProcessTable.pids.filter { pid in
            TemporaryFolder.names(in: "/proc/\(pid)/fd").contains { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(name)")
                return target?.hasPrefix(folder.path) == true
            }
        }
        #expect(holders.isEmpty)
    }

    @Test func withoutATerminalItAnswersItself() throws {
        let run = try CommandRun(words, environment: environment)
        #expect(run.exitStatus == 0, "\(run.output)\(run.errors)")
        for text in [
            "There is no terminal with somebody at it", "(it asks; the tour types the passcode)", "\nlocked\n",
            "(exit status 36)", "(exit status 51)", "\nnetwork-key\n", "\naccount-key\n", "That was the tour.",
        ] {
            #expect(run.output.contains(text), "\(text): \(run.output)")
        }
        #expect(!run.output.contains("\u{1B}"))
        expectNothingLeft()
    }

    /// Starts the tour with a terminal as its input and output.
    private func tour(in terminal: TestTerminal) throws -> ChildProcess {
        try ChildProcess(
            ["setsid", "--ctty", "--wait"] + words, environment: environment,
            files: [(terminal.device, 0), (terminal.device, 1), (terminal.device, 2)], inheritsOthers: false)
    }

    @Test func aPersonAnswersInATerminal() throws {
        let terminal = try TestTerminal()
        let tour = try tour(in: terminal)
        func type(_ text: String, at prompt: String) throws {
            try terminal.expect(prompt)
            _ = terminal.settle()
            try terminal.type(text + "\r")
        }
        try terminal.expect("make one up now")
        try type("make one up", at: "New passcode:")
        try type("make one up", at: "Again:")
        try terminal.expect("\nlocked")
        // The passcode is mistyped once and asked for again.
        try type("something else", at: "Passcode:")
        try terminal.expect("Try once more.")
        try type("make one up", at: "Passcode:")
        try terminal.expect("network-key")
        try type("make one up", at: "Passcode:")
        try terminal.expect("account-key")
        try type("make one up", at: "Passcode:")
        try terminal.expect("That was the tour.")
        #expect(tour.wait() == .exited(0))
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains("somebody at it"))
        expectNothingLeft()
    }

    /// A person who makes up no passcode still sees the whole tour.
    @Test func aPersonHasNoWishForIt() throws {
        let terminal = try TestTerminal()
        let tour = try tour(in: terminal)
        try terminal.expect("New passcode:")
        _ = terminal.settle()
        try terminal.type("\r")
        try terminal.expect("Again:")
        _ = terminal.settle()
        try terminal.type("\r")
        try terminal.expect("The tour ends here.")
        #expect(tour.wait() == .exited(0))
        #expect(terminal.echoes)
        expectNothingLeft()
    }
}
