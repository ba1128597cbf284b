import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the prompt at a pseudo-terminal: in this process for reading, as a program for signals.
struct PasswordPromptTests {
    /// Starts a prompt on its own thread.
    private func ask(
        _ terminal: PseudoTerminal, twice: Bool, limit: Int = Limits.secretBytes
    ) -> Background<Result<SecretBytes, any Error>> {
        let name = terminal.name
        return Background {
            Result {
                try PasswordPrompt(limit: limit) { open(name, O_RDWR | O_CLOEXEC | O_NOCTTY) }.ask(twice: twice)
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
        #expect(throws: ToolError.failure("the two are not the same; nothing was stored", exitStatus: 255)) {
            try prompt.wait(milliseconds: -1)?.get()
        }
        let start = terminal.seen.count
        prompt = ask(terminal, twice: false)
        #expect(terminal.wait(for: "Secret: ", after: start))
        terminal.type("\n")
        #expect(try prompt.wait(milliseconds: -1)?.get().count == 0)
        // The end of input is no answer.
        let next = terminal.seen.count
        prompt = ask(terminal, twice: false)
        #expect(terminal.wait(for: "Secret: ", after: next))
        terminal.type("\u{04}")
        #expect(throws: ToolError.failure("nothing was typed", exitStatus: 255)) {
            try prompt.wait(milliseconds: -1)?.get()
        }
        #expect(terminal.isEchoing)
    }

    /// The secrets are longer than a terminal's own line (4095 bytes), and than its buffer.
    @Test(arguments: [4_095, 4_096, 5_000, 100_000])
    func longSecretsAreReadWhole(count: Int) throws {
        let terminal = try #require(PseudoTerminal())
        let prompt = ask(terminal, twice: true)
        let secret = (0..<count).map { UInt8(33 + $0 * 7 % 90) }
        #expect(terminal.wait(for: "Secret: "))
        terminal.type(secret + [10])
        #expect(terminal.wait(for: "Again: "))
        terminal.type(secret + [10])
        #expect(try prompt.wait(milliseconds: -1)?.get() == SecretBytes(secret))
        #expect(terminal.isEchoing)
    }

    /// Both lines and more are pasted at once.
    ///
    /// The rest is dropped, so that no shell runs it.
    @Test func pastingBothAndMore() throws {
        let terminal = try #require(PseudoTerminal())
        let prompt = ask(terminal, twice: true)
        #expect(terminal.wait(for: "Secret: "))
        terminal.type("two words\ntwo words\nrm -rf /\nhalf")
        #expect(try prompt.wait(milliseconds: -1)?.get() == SecretBytes("two words".utf8))
        #expect(terminal.unread == 0)
        #expect(!terminal.text.contains("rm"))
    }

    /// Text typed before the prompt appears is not part of the secret.
    @Test func whatWasTypedBeforeIsDropped() throws {
        let terminal = try #require(PseudoTerminal())
        terminal.type("too early\n")
        // The terminal has received the text once it echoes it.
        #expect(terminal.wait(for: "too early\r\n"))
        let prompt = ask(terminal, twice: false)
        #expect(terminal.wait(for: "Secret: "))
        terminal.type("right\n")
        #expect(try prompt.wait(milliseconds: -1)?.get() == SecretBytes("right".utf8))
    }

    @Test func keysEditTheLine() throws {
        let lines: [(typed: String, read: String)] = [
            ("abcx\u{7F}d", "abcd"), ("abcx\u{08}d", "abcd"), ("\u{7F}\u{7F}a", "a"),
            ("gr\u{FC}\u{7F}u", "gru"), ("日本\u{7F}", "日"), ("😀\u{7F}b", "b"), ("é\u{301}\u{7F}", "é"),
            ("nonsense\u{15}right", "right"), ("one two  \u{17}2", "one 2"), ("\u{17}a", "a"),
            ("a\u{16}\u{7F}b", "a\u{7F}b"), ("a\u{16}\nb", "a\nb"), ("a\u{16}\u{16}b", "a\u{16}b"),
            ("a\u{12}b", "ab"), ("a\tb\u{1B}[A", "a\tb\u{1B}[A"), ("", ""),
        ]
        let terminal = try #require(PseudoTerminal())
        for (typed, read) in lines {
            let start = terminal.seen.count
            let prompt = ask(terminal, twice: false)
            #expect(terminal.wait(for: "Secret: ", after: start))
            terminal.type(typed + "\n")
            #expect(try prompt.wait(milliseconds: -1)?.get() == SecretBytes(read.utf8), "\(typed.debugDescription)")
        }
        // Ctrl-D ends a line that has text.
        let start = terminal.seen.count
        let prompt = ask(terminal, twice: false)
        #expect(terminal.wait(for: "Secret: ", after: start))
        terminal.type("abc\u{04}")
        #expect(try prompt.wait(milliseconds: -1)?.get() == SecretBytes("abc".utf8))
    }

    /// Bytes that are not UTF-8 are erased one at a time.
    @Test func anythingCanBeErased() {
        var settings = termios()
        settings.c_cc.2 = 0x7F
        for (bytes, left) in [
            ([0x80, 0x80], [0x80]), ([0xFF, 0x80], [0xFF]), ([0xC3], []), ([0xF0, 0x9F, 0x98], [0xF0, 0x9F]),
        ]
            as [([UInt8], [UInt8])]
        {
            var line = SecretLine(keys: EditingKeys(settings))
            for byte in bytes + [0x7F] { _ = line.take(byte) }
            #expect(line.finish() == SecretBytes(left))
        }
    }

    @Test func theLimitIsALoudOne() throws {
        var line = SecretLine(keys: EditingKeys(termios()), limit: 3)
        for byte in [1, 2, 3] as [UInt8] { #expect(line.take(byte) == .isGoingOn) }
        #expect(line.take(4) == .isFull)
        let terminal = try #require(PseudoTerminal())
        // The limit is larger than a terminal's buffer and than one read.
        let limit = 100_000
        let prompt = ask(terminal, twice: true, limit: limit)
        #expect(terminal.wait(for: "Secret: "))
        terminal.type([UInt8](repeating: 65, count: limit + 1))
        #expect(throws: KeychainError(.dataTooLarge, "")) { try prompt.wait(milliseconds: -1)?.get() }
        #expect(terminal.isEchoing)
    }

    @Test func noTerminalIsInteractionNotAllowed() {
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try PasswordPrompt { -1 }.ask(twice: false)
        }
    }

    /// The way a program ended; a program that does not end is killed, so that no test waits forever.
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

    private func start(_ terminal: PseudoTerminal, _ home: TemporaryHome) throws -> pid_t {
        try #require(
            terminal.start(
                BuildFolder.program("security"), ["item", "add", "-s", "prompt-test"], environment: home.variables))
    }

    /// Each key or signal that ends a program leaves an echoing terminal.
    @Test(arguments: [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXCPU, SIGVTALRM, SIGUSR1, 40])
    func signalsLeaveTheTerminalAsItWas(signal: Int32) throws {
        let terminal = try #require(PseudoTerminal())
        let home = try TemporaryHome()
        defer { withExtendedLifetime(home) {} }
        let pid = try start(terminal, home)
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

    /// Ctrl-Z restores the terminal, and the prompt returns when the program continues.
    @Test func stoppingAndGoingOn() throws {
        let terminal = try #require(PseudoTerminal())
        let home = try TemporaryHome()
        defer { withExtendedLifetime(home) {} }
        let pid = try start(terminal, home)
        #expect(terminal.wait(for: "Secret: "))
        // SIGTSTP does not stop an orphaned process group, whose members have no parent in their session. SIGSTOP does.
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
        #expect(end & 0x7F == 0 && end >> 8 == 255)
        #expect(terminal.isEchoing)
    }

    /// Ctrl-Z under a shell with job control restores the shell's terminal, and the prompt returns with `fg`.
    @Test func stoppingUnderAShell() throws {
        let terminal = try #require(PseudoTerminal())
        let home = try TemporaryHome()
        defer { withExtendedLifetime(home) {} }
        let script = "security item add -s prompt-test; echo stop''ped $?; read -r _; fg; echo end''ed $?"
        let pid = try #require(
            terminal.start("/bin/sh", ["-mc", script], environment: home.variables))
        #expect(terminal.wait(for: "Secret: "))
        terminal.type("half a s3cret\u{1A}")
        // The exit status is 128 plus the number of SIGTSTP.
        #expect(terminal.wait(for: "stopped 148"))
        #expect(terminal.isEchoing)
        let start = terminal.seen.count
        terminal.type("\n")
        #expect(terminal.wait(for: "Secret: ", after: start))
        #expect(!terminal.isEchoing)
        terminal.type("one\ntwo\n")
        #expect(terminal.wait(for: "ended 255"))
        #expect(end(of: pid) == 0)
        #expect(terminal.isEchoing)
        #expect(!terminal.text.contains("s3cret"))
    }
}
