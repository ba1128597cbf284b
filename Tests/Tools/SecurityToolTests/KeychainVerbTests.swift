import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the verbs about keychains: their questions at a terminal, and their requests.
///
/// `CommandLine/keychains.txt` runs them with real daemons.
struct KeychainVerbTests {
    private let keychain = FakeKeychain()

    /// Runs a command line at a terminal where somebody answers each question in turn.
    private func type(_ words: [String], _ answers: [(question: String, answer: String)]) throws -> ToolRun {
        let terminal = try #require(PseudoTerminal())
        let (name, keychain) = (terminal.name, keychain)
        let run = Background { ToolRun(words, keychain: keychain, terminal: name) }
        for (question, answer) in answers {
            let start = terminal.seen.count
            #expect(terminal.wait(for: question, after: start))
            #expect(!terminal.isEchoing)
            terminal.type(answer + "\n")
        }
        let ended = try #require(run.wait(milliseconds: -1))
        for (_, answer) in answers where answer.count > 1 { #expect(!terminal.text.contains(answer)) }
        return ended
    }

    private func passwords() -> [String] {
        guard case .keychainPassword(_, let passwords)? = keychain.last else { return [] }
        return passwords.map { password in password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    private let create = ["password for new keychain: ", "retype password for new keychain: "]

    @Test func aNewPasswordIsTypedTwiceAlike() throws {
        let run = try type(["create-keychain", "b"], [(create[0], "s3cret"), (create[1], "s3cret")])
        #expect(run.exitStatus == 0 && run.text.isEmpty)
        #expect(passwords() == ["s3cret"])
        let third = try type(
            ["create-keychain", "b"],
            [
                (create[0], "one"), (create[1], "two"), (create[0], "one"), (create[1], "two"), (create[0], "three"),
                (create[1], "three"),
            ])
        #expect(third.exitStatus == 0 && passwords() == ["three"])
        let never = try type(
            ["create-keychain", "c"], (0..<3).flatMap { _ in [(create[0], "one"), (create[1], "two")] })
        #expect(never.exitStatus == 1 && passwords() == ["three"])
        #expect(never.errors.hasSuffix("security: the two passwords are not the same; nothing was changed\n"))
    }

    /// The command warns about a weak password that is typed, but neither about a strong one nor about one behind an
    /// option.
    @Test func aWeakPasswordIsTakenAndThatIsTold() throws {
        let strong = "xk7Qm!pz4vRt9 stapler"
        for (words, questions) in [
            (["create-keychain", "b"], create), (["reset-keychains"], create),
            (["set-keychain-password", "-o", "right", "a"], ["New Password: ", "Retype New Password: "]),
        ] {
            let weak = try type(words, questions.map { ($0, "s3cret") })
            #expect(weak.exitStatus == 0 && weak.errors.contains("security: warning: this password is "))
            #expect(weak.errors.hasSuffix("six or more words at random are not\n"))
            let run = try type(words, questions.map { ($0, strong) })
            #expect(run.exitStatus == 0 && run.errors.isEmpty)
        }
        #expect(ToolRun(["create-keychain", "-p", "x", "b"], keychain: keychain).errors.isEmpty)
    }

    @Test func whatIsNotTypedIs255() throws {
        #expect(try type(["create-keychain", "b"], [(create[0], "\u{04}")]).exitStatus == 255)
        #expect(ToolRun(["unlock-keychain", "a"], keychain: keychain).exitStatus == 255)
        #expect(ToolRun(["set-keychain-password", "a"], keychain: keychain).exitStatus == 1)
        #expect(ToolRun(["create-keychain"], keychain: keychain).exitStatus == 255)
        #expect(keychain.last == nil)
    }

    @Test func unlockingAsksForThePassword() throws {
        #expect(try type(["unlock-keychain", "a"], [("password to unlock a: ", "right")]).exitStatus == 0)
        let run = try type(["unlock-keychain"], [("password to unlock default: ", "wrong")])
        #expect(run.exitStatus == 51)
        #expect(run.errors.hasPrefix("security: SecKeychainUnlock <NULL>: "))
        #expect(run.errors.hasSuffix("security: the password is wrong; the next one is looked at in 1 s\n"))
    }

    /// securityd asks in a dialog, and no password goes through the command.
    @Test func theDialogAsksInsteadOfTheCommand() {
        let folder = "/nonexistent/chatelaine/data/keychains"
        func asked(_ words: String...) -> (status: Int32, question: KeychainQuestion?) {
            let status = ToolRun(words, keychain: keychain).exitStatus
            guard case .keychainQuestion(let question)? = keychain.last else { return (status, nil) }
            return (status, question)
        }
        #expect(asked("create-keychain", "-P", "b") == (0, .create(path: "\(folder)/b-db")))
        #expect(asked("unlock-keychain", "-u") == (0, .unlock(path: "\(folder)/a-db")))
        #expect(asked("unlock-keychain", "-u", "b") == (128, .unlock(path: "\(folder)/b-db")))
        #expect(asked("create-keychain", "-P", "-p", "one", "b").question == nil, "a password that is given counts")
    }

    @Test func aResetAsksForThePasswordOfTheNewOne() throws {
        let run = try type(["reset-keychains"], [(create[0], "s3cret"), (create[1], "s3cret")])
        #expect(run.exitStatus == 0 && run.text == "The former login keychain is /k/login_renamed_1.keychain-db.\n")
        #expect(keychain.given.withLock { $0 } == [SecretBytes("s3cret".utf8)])
        #expect(ToolRun(["reset-keychains"], keychain: keychain).exitStatus == 255, "nothing was typed")
    }

    @Test func anotherPasswordIsTypedTwice() throws {
        let run = try type(
            ["set-keychain-password", "a"],
            [("Old Password: ", "right"), ("New Password: ", "new"), ("Retype New Password: ", "new")])
        #expect(run.exitStatus == 0 && passwords() == ["right", "new"])
        let differing = try type(
            ["set-keychain-password", "-o", "right", "a"],
            [("New Password: ", "new"), ("Retype New Password: ", "old")])
        #expect(differing.exitStatus == 1 && passwords() == ["right", "new"])
    }

    /// Every call sets all settings.
    @Test func settingsAreOverwritten() {
        func set(_ words: String...) -> (interval: UInt32, sleep: Bool) {
            #expect(ToolRun(["set-keychain-settings"] + words, keychain: keychain).exitStatus == 0)
            return keychain.keychainSettings.withLock { ($0.lockInterval, $0.locksOnSleep) }
        }
        #expect(set("-lut", "21600", "a") == (21_600, true))
        #expect(set("-u", "a") == (2_147_483_647, false))
        #expect(set("-t", "5") == (5, false), "of the default keychain")
        #expect(set("-l") == (2_147_483_647, true))
        let shown = ToolRun(["show-keychain-info", "a"], keychain: keychain)
        #expect(shown.errors == "Keychain \"a\" lock-on-sleep no-timeout\n" && shown.text.isEmpty)
        let locked = ToolRun(["set-keychain-settings", "b"], keychain: keychain)
        #expect(locked.exitStatus == 36 && locked.errors.hasPrefix("security: SecKeychainSetSettings b: "))
        for value in ["-1", "x", "", "2147483648", "5s"] {
            #expect(ToolRun(["set-keychain-settings", "-t", value], keychain: keychain).exitStatus == 2)
        }
    }

    /// At a terminal, control characters in a path are shown as text; a script gets the path unchanged.
    @Test func listsAreShownByApplesForm() {
        let plain = ToolRun(["list-keychains"], keychain: keychain)
        #expect(
            plain.text == "    \"/k/login.keychain-db\"\n    \"/k/with \u{1B} in it\"\n    \"/m/System.keychain-db\"\n")
        let shown = ToolRun(["list-keychains", "-d", "user"], keychain: keychain, isTerminal: true)
        #expect(shown.text == "    \"/k/login.keychain-db\"\n    \"/k/with \\u{1b} in it\"\n")
        #expect(ToolRun(["list-keychains", "-d", "system"], keychain: keychain).text.isEmpty)
    }

    @Test func namesBecomePaths() {
        #expect(ToolRun(["list-keychains", "-s", "b", "/x/../y"], keychain: keychain).exitStatus == 0)
        guard case .preference(.searched, .user, let list)? = keychain.last else { return #expect(Bool(false)) }
        #expect(list == ["/nonexistent/chatelaine/data/keychains/b-db", "/y"])
        #expect(ToolRun(["default-keychain", "-d", "u", "-s"], keychain: keychain).exitStatus == 0)
        guard case .preference(.defaultKeychain, .user, let none)? = keychain.last else { return #expect(Bool(false)) }
        #expect(none == [])
        for words in [
            ["list-keychains", "b"], ["default-keychain", "b"], ["list-keychains", "-d", ""],
            ["default-keychain", "-d", "users"], ["lock-keychain", ""], ["lock-keychain", "-a", "b"],
        ] {
            #expect(ToolRun(words, keychain: keychain).exitStatus == 2, "\(words)")
        }
        // These verbs fail with exit status 1 for every status.
        for words in [
            ["list-keychains", "-d", "common", "-s"], ["default-keychain", "-d", "system"], ["login-keychain"],
            ["login-keychain", "-s", "b"], ["login-keychain", "-d", "user"],
        ] {
            #expect(ToolRun(words, keychain: keychain).exitStatus == 1, "\(words)")
        }
    }
}
