import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import Testing

@testable import SecurityTool

/// The prompt at a pseudo-terminal: in this process for what it reads, as a program for signals.
struct PasswordPromptTests {
    /// Starts a prompt on a thread of its own.
    private func ask(_ terminal: PseudoTerminal, twice: Bool) -> Background<Result<SecretBytes, any Error>> {
        let name = terminal.name
        return Background {
            Result {
                try PasswordPrompt { open(name, O_RDWR | O_CLOEXEC | O_NOCTTY) }.ask(twice: twice)
            }
        }
    }

    @Test func whatIsTypedIsReadAndNotShown() throws {
        let terminal = try #require(PseudoTerminal())
        let prompt = ask(terminal, twice: true)
        #expect(terminal.wait(for: "Secret: "))
        #expect(!terminal.isEchoing)
        terminal.type("gr\u{FC}n s3cret\n")
        #expect(terminal.wait(for: "Again: "))
        terminal.type("gr\u{FC}n s3cret\n")
        let secret = try #require(prompt.wait(milliseconds: -1)).get()
        #expect(secret == SecretBytes("gr\u{FC}n s3cret".utf8))
        #expect(terminal.isEchoing)
        #expect(!terminal.text.contains("s3cret"))
    }

    @Test func twoThatDifferAreRefusedAndEmptyOnesServe() throws {
        let terminal = try #require(PseudoTerminal())
        var prompt = ask(terminal, twice: true)
        #expect(terminal.wait(for: "Secret: "))
        terminal.type("one\n")
        #expect(terminal.wait(for: "Again: "))
        terminal.type("two\n")
        #expect(throws: ToolError.self) { try prompt.wait(milliseconds: -1)?.get() }
        let start = terminal.seen.count
        prompt = ask(terminal, twice: false)
        #expect(terminal.wait(for: "Secret: ", after: start))
        terminal.type("\n")
        #expect(try prompt.wait(milliseconds: -1)?.get().count == 0)
        // The end of the input is no answer.
        let next = terminal.seen.count
        prompt = ask(terminal, twice: false)
        #expect(terminal.wait(for: "Secret: ", after: next))
        terminal.type("\u{04}")
        #expect(throws: ToolError.failure("nothing was typed", exitStatus: 255)) {
            try prompt.wait(milliseconds: -1)?.get()
        }
        #expect(terminal.isEchoing)
    }

    @Test func noTerminalIsInteractionNotAllowed() {
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try PasswordPrompt { -1 }.ask(twice: false)
        }
    }

    /// How a program ended; one that does not end is ended, so that no test waits for ever.
    private func end(of pid: pid_t) -> Int32 {
        let process = chatelaine_pidfd_open(pid)
        defer { close(process) }
        var waiting = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        if poll(&waiting, 1, 20_000) != 1 { kill(pid, SIGKILL) }
        return status(of: pid, 0)
    }

    private func status(of pid: pid_t, _ options: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, options) < 0, errno == EINTR {}
        return status
    }

    private func start(_ terminal: PseudoTerminal) throws -> pid_t {
        try #require(
            terminal.start(
                BuiltProgram.security, ["item", "add", "-s", "prompt-test"],
                environment: ["CHATELAINE_HOME=/nonexistent/chatelaine", "CHATELAINE_LIBEXEC=/nonexistent"]))
    }

    /// Each key or signal that ends a program, with the terminal echoing afterwards.
    @Test(arguments: [SIGINT, SIGQUIT, SIGTERM, SIGHUP])
    func signalsLeaveTheTerminalAsItWas(signal: Int32) throws {
        let terminal = try #require(PseudoTerminal())
        let pid = try start(terminal)
        #expect(terminal.wait(for: "Secret: "))
        #expect(!terminal.isEchoing)
        terminal.type("half a s3cret")
        switch signal {
        case SIGINT: terminal.type("\u{03}")
        case SIGQUIT: terminal.type("\u{1C}")
        default: kill(pid, signal)
        }
        let end = end(of: pid)
        #expect(end & 0x7F == signal)
        #expect(terminal.isEchoing)
        #expect(!terminal.text.contains("s3cret"))
    }

    /// Ctrl-Z gives the terminal back, and the prompt comes again when the program goes on.
    @Test func stoppingAndGoingOn() throws {
        let terminal = try #require(PseudoTerminal())
        let pid = try start(terminal)
        #expect(terminal.wait(for: "Secret: "))
        // A whole process group without a parent in its session is orphaned, and SIGTSTP does not stop it: SIGSTOP does.
        kill(pid, SIGSTOP)
        #expect(status(of: pid, WUNTRACED) & 0xFF == 0x7F)
        let start = terminal.seen.count
        kill(pid, SIGCONT)
        #expect(terminal.wait(for: "Secret: ", after: start))
        #expect(!terminal.isEchoing)
        terminal.type("one\n")
        #expect(terminal.wait(for: "Again: "))
        terminal.type("two\n")
        let end = end(of: pid)
        #expect(end & 0x7F == 0 && end >> 8 == 1)
        #expect(terminal.isEchoing)
    }
}
