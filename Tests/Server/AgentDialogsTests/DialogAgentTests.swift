import AgentProtocol
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// The real agent with real pinentries, in a test's own terminal.
@Suite struct DialogAgentTests {
    static let flavours = ["/usr/bin/pinentry-tty", "/usr/bin/pinentry-curses"]

    private let terminal: TestTerminal

    init() throws { terminal = try TestTerminal() }

    private func dialog(_ kind: DialogKind = .passcode, seconds: UInt32 = 120, hasPasscode: Bool = true) -> Dialog {
        var dialog = Dialog(
            kind, to: .readSecret, program: "/usr/bin/git", assurance: .file, seconds: seconds, hasPasscode: hasPasscode
        )
        dialog.terminal = terminal.path
        return dialog
    }

    @Test(arguments: flavours)
    func whatIsTypedGoesIntoThePipe(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog())
        try terminal.expect("git")
        try terminal.expect("Passcode:")
        try terminal.type("häh 100%\r")
        #expect(try agent.reply() == .typed)
        #expect(agent.typed() == "häh 100%")
        #expect(agent.end() == .exited(0))
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains("100%"))
    }

    @Test(arguments: flavours)
    func itComesAgainAndSaysWhy(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        var dialog = dialog()
        for (round, word) in ["first", "second", "third"].enumerated() {
            try agent.show(dialog)
            if round > 0 { try terminal.expect("4 tries are left") }
            try terminal.expect("Passcode:")
            _ = terminal.settle()
            try terminal.type(word + "\r")
            #expect(try agent.reply() == .typed)
            #expect(agent.typed() == word)
            dialog.problem = .wrong
            dialog.triesLeft = 4
        }
        agent.end()
    }

    @Test(arguments: flavours)
    func whoTypesNothingCancels(_ pinentry: String) throws {
        for (kind, reply) in [(DialogKind.passcode, DialogReply.cancelled), (.consent, .denied)] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog(kind))
            try terminal.expect("Passcode:")
            _ = terminal.settle()
            try terminal.type("\r")
            #expect(try agent.reply() == reply)
            #expect(agent.typed() == "")
            agent.end()
        }
    }

    @Test func theCancelButton() throws {
        let agent = try AgentRun("/usr/bin/pinentry-curses")
        try agent.show(dialog())
        try terminal.expect("Cancel")
        _ = terminal.settle()
        // From the field over the first button to the second.
        try terminal.type("\t\t\r")
        #expect(try agent.reply() == .cancelled)
        agent.end()
    }

    /// A dialog that nothing is typed into: it says what to touch, and its button takes it away.
    @Test(arguments: flavours)
    func aTouchOfTheReader(_ pinentry: String) throws {
        var dialog = dialog(.touch)
        dialog.hasReader = true
        let agent = try AgentRun(pinentry)
        try agent.show(dialog)
        #expect(try agent.reply() == .shown)
        try terminal.expect("git")
        try terminal.expect("Touch the fingerprint reader")
        _ = terminal.settle()
        #expect(terminal.shown.contains("ancel"))
        try terminal.type("\r")
        #expect(try agent.reply() == .cancelled)
        agent.end()
        #expect(terminal.echoes)
        // It goes with its question, as any other.
        dialog.problem = .wrong
        dialog.triesLeft = 1
        let second = try AgentRun(pinentry)
        try second.show(dialog)
        #expect(try second.reply() == .shown)
        try terminal.expect("1 try is left")
        let children = second.children
        second.end()
        for child in children { #expect(kill(child, 0) != 0) }
        #expect(terminal.echoes)
        dialog.seconds = 1
        let third = try AgentRun(pinentry)
        try third.show(dialog)
        #expect(try third.reply() == .shown)
        #expect(try third.reply() == .timedOut)
        third.end()
    }

    @Test(arguments: flavours)
    func aPasscodeOrATouch(_ pinentry: String) throws {
        var dialog = dialog()
        dialog.hasReader = true
        let agent = try AgentRun(pinentry)
        for word in ["first", "second"] {
            try agent.show(dialog)
            #expect(try agent.reply() == .shown)
            try terminal.expect("reader allows it, too")
            try terminal.expect("Passcode:")
            _ = terminal.settle()
            try terminal.type(word + "\r")
            #expect(try agent.reply() == .typed)
            #expect(agent.typed() == word)
            dialog.problem = .wrong
        }
        agent.end()
    }

    @Test(arguments: flavours)
    func itDoesNotStayForEver(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog(seconds: 1))
        #expect(try agent.reply() == .timedOut)
        agent.end()
        #expect(terminal.echoes)
    }

    @Test(arguments: flavours)
    func itGoesWithTheQuestion(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog())
        try terminal.expect("Passcode:")
        let children = agent.children
        #expect(agent.pinentries.count == 1)
        #expect(!terminal.echoes)
        agent.end()
        for child in children { #expect(kill(child, 0) != 0) }
        #expect(terminal.echoes)
    }

    @Test(arguments: flavours)
    func itTakesPinentryWithItWhenItIsKilled(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog())
        try terminal.expect("Passcode:")
        let children = agent.children
        try #require(agent.pinentries.count == 1)
        agent.process.kill()
        for child in children { try #require(hasEnded(child)) }
        // Nothing of it is left in the terminal either.
        #expect(terminal.echoes)
    }

    private func hasEnded(_ pid: pid_t) -> Bool {
        for _ in 0..<6000 {
            // Its next parent may be slow to reap it.
            let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            if state.isEmpty || state.contains(") Z ") { return true }
            usleep(10_000)
        }
        return false
    }

    @Test(arguments: flavours)
    func inATerminalConsentNeedsThePasscode(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog(.consent))
        try terminal.expect("The passcode of this keychain allows it.")
        try terminal.expect("Passcode:")
        _ = terminal.settle()
        try terminal.type("code\r")
        #expect(try agent.reply() == .typed)
        #expect(agent.typed() == "code")
        agent.end()
        let other = try AgentRun(pinentry)
        try other.show(dialog(.consent, hasPasscode: false))
        #expect(try other.reply() == .noPasscode)
        other.end()
    }

    /// Three answers, of which whatever ends the dialog is the least; then the passcode, in a dialog with two buttons.
    @Test(arguments: flavours)
    func aChangedProgram(_ pinentry: String) throws {
        let isCurses = pinentry.hasSuffix("curses")
        let digest = try #require(Bytes32([UInt8](repeating: 0xAB, count: 32)))
        var dialog = dialog(.changedProgram)
        dialog.change = DialogChange(from: nil, to: digest, recorded: 0, modified: 1_000_000_000)
        for (keys, letter, reply) in [
            ("\r", "o", DialogReply.once), ("\t\r", "e", .everywhere), ("\t\t\r", "r", .denied),
        ] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog)
            try terminal.expect("abababababababab")
            try terminal.expect("2001-09-09 01:46 UTC")
            try terminal.expect(isCurses ? "<Everywhere>" : "[ore]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? keys : letter)
            #expect(try agent.reply() == reply, "\(keys.debugDescription)")
            if reply == .everywhere {
                var next = dialog
                (next.kind, next.purpose) = (.passcode, .replace)
                try agent.show(next)
                try terminal.expect("Passcode:")
                #expect(!terminal.settle().contains("Everywhere"))
                try terminal.type("code\r")
                #expect(try agent.reply() == .typed)
                #expect(agent.typed() == "code")
            }
            agent.end()
            #expect(terminal.echoes)
        }
        let without = try AgentRun(pinentry)
        dialog.hasPasscode = false
        try without.show(dialog)
        #expect(try without.reply() == .noPasscode)
        without.end()
    }

    @Test(arguments: flavours)
    func aNewPasswordIsTypedTwice(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog(.newPassword))
        for (first, second) in [("one", "two"), ("same", "same")] {
            try terminal.expect("New password:")
            _ = terminal.settle()
            try terminal.type(first + "\r")
            try terminal.expect("The same again:")
            _ = terminal.settle()
            try terminal.type(second + "\r")
            if first != second { try terminal.expect("different") }
        }
        #expect(try agent.reply() == .typed)
        #expect(agent.typed() == "same")
        agent.end()
    }

    /// It is taken all the same.
    @Test(arguments: flavours)
    func aWeakNewPasswordIsToldOf(_ pinentry: String) throws {
        for (password, isWeak) in [("summer2024", true), ("xk7Qm!pz4vRt9 stapler", false)] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog(.newPassword))
            try terminal.expect("New password:")
            _ = terminal.settle()
            try terminal.type(password + "\r")
            if isWeak { try terminal.expect("easy to guess") }
            try terminal.expect("The same again:")
            #expect(!terminal.settle().contains("easy to guess"))
            try terminal.type(password + "\r")
            #expect(try agent.reply() == .typed)
            #expect(agent.typed() == password)
            agent.end()
        }
    }

    /// A dialog about an item of a file keychain.
    private func dialog(_ kind: DialogKind, _ grants: [DialogGrant]) -> Dialog {
        var dialog = dialog(kind)
        var access = DialogAccess(
            grants.contains(.everywhere) ? .changed : .notListed, DialogProgram(identifier: "ABCDE12345.editor"),
            by: .either)
        access.grants = grants
        access.parent = "/usr/bin/bash"
        if kind == .keychainSecret { access.chosen = grants.last }
        (dialog.item, dialog.keychain, dialog.access) = ("mail", "login", access)
        return dialog
    }

    /// Whatever is chosen, nothing is allowed by it: then comes the field, in a dialog with two buttons.
    @Test(arguments: flavours)
    func anItemOfAFileKeychain(_ pinentry: String) throws {
        let isCurses = pinentry.hasSuffix("curses")
        for (keys, letter, reply) in [
            ("\r", "o", DialogReply.once), ("\t\r", "a", .always), ("\t\t\r", "d", .denied),
        ] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog(.keychainAccess, [.once, .always]))
            try terminal.expect("ABCDE12345.editor")
            try terminal.expect("mail")
            try terminal.expect("login")
            try terminal.expect(isCurses ? "<Always allow>" : "[oda]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? keys : letter)
            #expect(try agent.reply() == reply, "\(keys.debugDescription)")
            #expect(agent.typed() == "")
            if reply == .always {
                try agent.show(dialog(.keychainSecret, [.once, .always]))
                try terminal.expect("“Always allow”: the password")
                try terminal.expect("Password or passcode:")
                #expect(!terminal.settle().contains("From now on"))
                try terminal.type("code\r")
                #expect(try agent.reply() == .typed)
                #expect(agent.typed() == "code")
            }
            agent.end()
            #expect(terminal.echoes)
        }
    }

    /// One more answer is one more dialog.
    @Test(arguments: flavours)
    func anItemWhoseProgramHasChanged(_ pinentry: String) throws {
        let isCurses = pinentry.hasSuffix("curses")
        for (keys, letter, reply) in [
            ("\r", "a", DialogReply.always), ("\t\r", "c", .everywhere), ("\t\t\r", "d", .denied),
        ] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog(.keychainAccess, DialogGrant.allCases))
            try terminal.expect("its file has changed")
            try terminal.expect(isCurses ? "<From now on>" : "[odf]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? "\t\r" : "f")
            try terminal.expect(isCurses ? "<Change all>" : "[adc]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? keys : letter)
            #expect(try agent.reply() == reply, "\(keys.debugDescription)")
            agent.end()
        }
    }

    /// Who types nothing says no; and no comes at once.
    @Test(arguments: flavours)
    func denyNeedsNothing(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog(.keychainSecret, [.once]))
        try terminal.expect("You will be asked each time.")
        try terminal.expect("Password or passcode:")
        _ = terminal.settle()
        try terminal.type("\r")
        #expect(try agent.reply() == .denied)
        agent.end()
        let other = try AgentRun(pinentry)
        try other.show(dialog(.keychainAccess, DialogGrant.allCases))
        try terminal.expect(pinentry.hasSuffix("curses") ? "<From now on>" : "[odf]?")
        _ = terminal.settle()
        try terminal.type(pinentry.hasSuffix("curses") ? "\t\t\r" : "d")
        #expect(try other.reply() == .denied)
        other.end()
        #expect(terminal.echoes)
    }

    @Test(arguments: flavours)
    func aKeychainsPassword(_ pinentry: String) throws {
        for (kind, purpose, prompt) in [
            (DialogKind.password, DialogPurpose.unlock, "Password of the keychain:"),
            (.newPassword, .createKeychain, "New password:"),
        ] {
            var dialog = dialog(kind)
            (dialog.purpose, dialog.keychain, dialog.hasPasscode) = (purpose, "login", false)
            let agent = try AgentRun(pinentry)
            try agent.show(dialog)
            try terminal.expect("Keychain: “login”")
            try terminal.expect(prompt)
            _ = terminal.settle()
            try terminal.type("horse\r")
            if kind == .newPassword {
                try terminal.expect("The same again:")
                _ = terminal.settle()
                try terminal.type("horse\r")
            }
            #expect(try agent.reply() == .typed)
            #expect(agent.typed() == "horse")
            agent.end()
        }
    }

    @Test(arguments: flavours)
    func hostileWordsAreWords(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        var dialog = dialog()
        dialog.item = "\u{1B}]0;title\u{7}\u{202E}tfel"
        dialog.reason = "\u{1B}[2J\u{1B}[HAllowed.\r\nPasscode: " + String(repeating: "x", count: 1 << 20)
        try agent.show(dialog)
        try terminal.expect("Item:")
        try terminal.expect("own words:")
        try terminal.expect("Passcode:")
        let shown = terminal.shown + terminal.settle()
        #expect(!shown.contains("\u{1B}]0;") && !shown.contains("\u{202E}") && !shown.contains("[2J\u{1B}[HAllowed"))
        agent.end()
    }

    @Test func whereNothingCanBeShown() throws {
        var nowhere = dialog()
        nowhere.terminal = nil
        for pinentry in Self.flavours {
            let agent = try AgentRun(pinentry)
            try agent.show(nowhere)
            #expect(try agent.reply() == .nowhere)
            agent.end()
            // Nor does a display help one that shows everything in a terminal.
            let other = try AgentRun(pinentry, session: ["DISPLAY=:1"])
            try other.show(nowhere)
            #expect(try other.reply() == .nowhere)
            other.end()
        }
        for path in ["/dev/null", "/dev/pts/99999", "/etc/passwd", "relative"] {
            let agent = try AgentRun(Self.flavours[0])
            var dialog = dialog()
            dialog.terminal = path
            try agent.show(dialog)
            #expect(try agent.reply() == .nowhere, "\(path)")
            agent.end()
        }
    }

    @Test func somebodyElsesTerminalIsNone() throws {
        guard geteuid() == 0 else { return print("SKIPPED (needs root): \(#function)") }
        try terminal.give(to: 24_900)
        let agent = try AgentRun(Self.flavours[0])
        try agent.show(dialog())
        #expect(try agent.reply() == .nowhere)
        agent.end()
    }

    @Test func onlyAPinentryOfRootsIsStarted() throws {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/pinentry"
        try FileManager.default.copyItem(atPath: Self.flavours[0], toPath: copy)
        // A copy in /tmp, a link to it, and a link of somebody's to the right one, which is what is executed.
        let link = folder.path + "/link"
        try #require(symlink(copy, link) == 0)
        let good = folder.path + "/good"
        try #require(symlink(Self.flavours[0], good) == 0)
        for (path, reply) in [
            (copy, DialogReply.unsafePinentry), (link, .unsafePinentry), (folder.path + "/none", .noPinentry),
            (folder.path, .noPinentry), ("/etc/passwd", .noPinentry), ("/bin/true", .failed),
        ] {
            let agent = try AgentRun(path)
            try agent.show(dialog())
            #expect(try agent.reply() == reply, "\(path)")
            agent.end()
        }
        let agent = try AgentRun(good)
        try agent.show(dialog())
        try terminal.expect("Passcode:")
        agent.end()
    }

    @Test func nobodyElseHasUseForIt() throws {
        #expect(try CommandRun([BuildFolder.program("security-agent")]).exitStatus == 2)
        #expect(try CommandRun([BuildFolder.program("security-agent"), "--dialog"]).exitStatus == 2)
        #expect(
            try CommandRun([BuildFolder.program("security-agent"), "--version"]).output.hasPrefix("security-agent"))
        // Whoever speaks to it as nobody of ours does gets its end.
        let agent = try AgentRun(Self.flavours[0])
        #expect(agent.end() == .exited(0))
    }
}
