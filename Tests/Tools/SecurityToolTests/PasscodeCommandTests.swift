import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the verbs about the passcode: where it is read from, and what is printed.
struct PasscodeCommandTests {
    private static func keychain(hasPasscode: Bool = true) -> FakeKeychain {
        let keychain = FakeKeychain()
        keychain.report.withLock {
            $0.hasPasscode = hasPasscode
            $0.state = hasPasscode ? .locked : .unlocked
        }
        return keychain
    }

    private static func asked(_ keychain: FakeKeychain) -> (command: PasscodeCommand, passcodes: [String])? {
        guard case .passcode(let command, let passcodes)? = keychain.last else { return nil }
        return (command, passcodes.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } })
    }

    /// Who reads that it failed keeps the old passcode, which opens nothing any more.
    @Test(arguments: ["set", "change"])
    func aPasscodeThatIsSetIsNoFailure(verb: String) {
        let keychain = Self.keychain(hasPasscode: verb == "change")
        let input = verb == "change" ? "right\nnew one\n" : "new one\n"
        let run = ToolRun(
            ["passcode", verb, "--stdin"], keychain: keychain, input: Array(input.utf8), hasOutput: false)
        #expect(run.exitStatus == 0)
    }

    @Test func linesArePasscodes() throws {
        let inputs: [(words: [String], input: String, passcodes: [String])] = [
            (["unlock", "--stdin"], "right\n", ["right"]), (["unlock", "--stdin"], "right", ["right"]),
            (["passcode", "remove", "--stdin"], "right\n", ["right"]),
            (["passcode", "change", "--stdin"], "right\n a new öne \n", ["right", " a new öne "]),
            (["passcode", "change", "--stdin"], "right\nnew one", ["right", "new one"]),
        ]
        for (words, input, passcodes) in inputs {
            let keychain = Self.keychain()
            let run = ToolRun(words, keychain: keychain, input: Array(input.utf8))
            #expect(run.exitStatus == 0, "\(words): \(run.errors)")
            #expect(Self.asked(keychain)?.passcodes == passcodes, "\(words)")
        }
        let keychain = Self.keychain(hasPasscode: false)
        #expect(
            ToolRun(["passcode", "set", "--stdin"], keychain: keychain, input: Array("new one\n".utf8)).exitStatus == 0)
        #expect(Self.asked(keychain)?.passcodes == ["new one"])
        // Too few or too many lines, and an empty line, are no passcode.
        for (words, input) in [
            (["unlock", "--stdin"], "right\nleft\n"), (["passcode", "change", "--stdin"], "right\n"),
            (["passcode", "change", "--stdin"], "right\nnew one\nmore\n"), (["unlock", "--stdin"], "right\n\n"),
        ] {
            let keychain = Self.keychain()
            let run = ToolRun(words, keychain: keychain, input: Array(input.utf8))
            #expect(run.exitStatus == 2 && Self.asked(keychain) == nil, "\(words)")
        }
        for input in ["", "\n", String(repeating: "a", count: 1025)] {
            let keychain = Self.keychain()
            let run = ToolRun(["unlock", "--stdin"], keychain: keychain, input: Array(input.utf8))
            #expect(run.exitStatus == -50 & 0xFF && Self.asked(keychain) == nil)
        }
    }

    /// Commands that widen access or give copies away take the passcode if there is one, and ask nothing otherwise.
    @Test func guardedCommandsTakeThePasscode() throws {
        let commands = [
            ["app", "accept", "/usr/bin/env"], ["app", "develop", "/usr/bin/env"], ["app", "forget", "/usr/bin/env"],
            ["snapshot", "restore", "20261121T083000Z-1"], ["snapshot", "purge", "--all"],
        ]
        for words in commands {
            var keychain = Self.keychain()
            #expect(
                ToolRun(words + ["--stdin"], keychain: keychain, input: Array("right\n".utf8)).exitStatus == 0,
                "\(words)")
            #expect(keychain.given.withLock { $0 } == [SecretBytes("right".utf8)])
            keychain = Self.keychain()
            #expect(ToolRun(words, keychain: keychain).exitStatus == 36)
            #expect(keychain.given.withLock { $0 }.isEmpty)
            keychain = Self.keychain(hasPasscode: false)
            #expect(ToolRun(words, keychain: keychain).exitStatus == 0)
            #expect(keychain.given.withLock { $0 } == [nil])
        }
        for words in [["app", "list"], ["snapshot", "list"], ["snapshot", "create"]] {
            #expect(ToolRun(words, keychain: Self.keychain()).exitStatus == 0, "\(words)")
        }
    }

    /// Listing other programs' items takes the passcode.
    @Test func aListOfAllTakesThePasscode() throws {
        let words = ["item", "list", "--all", "--class", "generic"]
        var keychain = Self.keychain()
        #expect(ToolRun(words + ["--stdin"], keychain: keychain, input: Array("right\n".utf8)).exitStatus == 0)
        #expect(keychain.given.withLock { $0 } == [SecretBytes("right".utf8)])
        keychain = Self.keychain(hasPasscode: false)
        #expect(ToolRun(words, keychain: keychain).exitStatus == -25293 & 0xFF)
        #expect(ToolRun(words, keychain: Self.keychain()).exitStatus == 36)
    }

    /// No command takes a passcode as an argument, and without a terminal none waits for it.
    @Test func withoutATerminalNobodyIsAsked() throws {
        for words in [["unlock"], ["passcode", "change"], ["passcode", "remove"]] {
            let run = ToolRun(words, keychain: Self.keychain())
            #expect(run.exitStatus == 36)
            #expect(
                run.errors
                    == "security: errSecInteractionNotAllowed: there is no terminal to ask for the passcode; use --stdin or --descriptor\n"
            )
            #expect(ToolRun(words + ["right"], keychain: Self.keychain()).exitStatus == 2)
        }
        #expect(ToolRun(["passcode", "set"], keychain: Self.keychain(hasPasscode: false)).exitStatus == 36)
    }

    @Test func whatCannotBeIsSaidBeforeAnybodyIsAsked() throws {
        #expect(ToolRun(["passcode", "set"], keychain: Self.keychain()).errors.contains("there is a passcode already"))
        for words in [["unlock"], ["passcode", "change"], ["passcode", "remove"]] {
            let run = ToolRun(words, keychain: Self.keychain(hasPasscode: false))
            #expect(run.exitStatus == -50 & 0xFF && run.errors.contains("there is no passcode"))
            let waiting = Self.keychain()
            waiting.report.withLock { $0.delay = 59_001 }
            let delayed = ToolRun(words, keychain: waiting)
            #expect(delayed.exitStatus == 51 && delayed.errors.contains("looked at in 1 min 0 s"))
        }
    }

    @Test func whatCameOfItIsSaid() throws {
        let wrong = ToolRun(["unlock", "--stdin"], keychain: Self.keychain(), input: Array("wrong\n".utf8))
        #expect(wrong.exitStatus == 51)
        #expect(wrong.errors == "security: errSecAuthFailed: the passcode is wrong; nothing was changed\n")
        let weak = ToolRun(
            ["passcode", "set", "--stdin"], keychain: Self.keychain(hasPasscode: false), input: Array("1234\n".utf8))
        #expect(weak.exitStatus == 0 && weak.text.contains("64.0 MiB of memory, gone through 3 times"))
        #expect(weak.text.contains("This passcode is very weak: about 2 bits"))
        #expect(weak.errors.contains("warning: below 40 bits"))
        let strong = ToolRun(
            ["passcode", "change", "--stdin"], keychain: Self.keychain(),
            input: Array("right\nxk7 Qm!pz 4vRt9\n".utf8))
        #expect(strong.exitStatus == 0 && strong.errors == "")
        let short = ToolRun(
            ["passcode", "set", "--stdin"], keychain: Self.keychain(hasPasscode: false), input: Array("abc\n".utf8))
        #expect(short.exitStatus == -50 & 0xFF && short.errors.contains("too short"))
        #expect(ToolRun(["lock"], keychain: Self.keychain(hasPasscode: false)).exitStatus == 1)
        #expect(ToolRun(["lock"], keychain: Self.keychain()).exitStatus == 0)
        #expect(ToolRun(["state"], keychain: Self.keychain()).text == "locked\n")
    }

    @Test func newKeysFollowAChange() throws {
        let keychain = Self.keychain()
        let run = ToolRun(
            ["passcode", "change", "--new-keys", "--stdin"], keychain: keychain, input: Array("right\nright\n".utf8))
        #expect(run.exitStatus == 0)
        #expect(Self.asked(keychain)?.command == .newKeys && Self.asked(keychain)?.passcodes == ["right"])
    }

    /// The command asks at its terminal and shows nothing of the typed text.
    @Test func aPersonIsAskedAndNothingIsShown() throws {
        let terminal = try #require(PseudoTerminal())
        let keychain = Self.keychain()
        let name = terminal.name
        let run = Background { ToolRun(["passcode", "change"], keychain: keychain, terminal: name).exitStatus }
        #expect(terminal.wait(for: "Present passcode: "))
        #expect(!terminal.isEchoing)
        terminal.type("right\n")
        #expect(terminal.wait(for: "New passcode: "))
        #expect(!terminal.isEchoing)
        terminal.type("grün zweiundvierzig\n")
        #expect(terminal.wait(for: "Again: "))
        terminal.type("grün zweiundvierzig\n")
        #expect(run.wait(milliseconds: -1) == 0)
        #expect(Self.asked(keychain)?.passcodes == ["right", "grün zweiundvierzig"])
        #expect(terminal.isEchoing && !terminal.text.contains("right") && !terminal.text.contains("zwei"))
    }

    @Test func twoThatDifferChangeNothing() throws {
        let terminal = try #require(PseudoTerminal())
        let keychain = Self.keychain(hasPasscode: false)
        let name = terminal.name
        let run = Background { ToolRun(["passcode", "set"], keychain: keychain, terminal: name) }
        #expect(terminal.wait(for: "New passcode: "))
        terminal.type("one thing\n")
        #expect(terminal.wait(for: "Again: "))
        terminal.type("another\n")
        let end = try #require(run.wait(milliseconds: -1))
        #expect(end.exitStatus == 255 && end.errors.contains("nothing was changed"))
        #expect(Self.asked(keychain) == nil)
    }
}
