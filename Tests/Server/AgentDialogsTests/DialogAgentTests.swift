import AgentProtocol
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// The real agent shows its dialogs with real pinentries, in a terminal of the test.
@Suite struct DialogAgentTests {
    static let flavours = ["/usr/bin/pinentry-tty", "/usr/bin/pinentry-curses"]

    let terminal: TestTerminal

    init() throws { terminal = try TestTerminal() }

    func dialog(_ kind: DialogKind = .passcode, seconds: UInt32 = 120, hasPasscode: Bool = true) -> Dialog {
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
        // The keys lead from the field over the first button to the second.
        try terminal.type("\t\t\r")
        #expect(try agent.reply() == .cancelled)
        agent.end()
    }

    /// A dialog without a field says which reader to touch, and its button closes it.
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
        // The dialog goes with its question, as any other.
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
        // The new parent may be slow to reap a process.
        for child in children { try until("process \(child) has ended") { hasEnded(child) } }
        // The terminal is as it was before.
        #expect(terminal.echoes)
    }

    private func hasEnded(_ pid: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return state.isEmpty || state.contains(") Z ")
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

    /// The dialog has three answers, and closing it in any way gives the least one.
    ///
    /// The passcode follows in a dialog with two buttons.
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

    /// A weak password is accepted all the same.
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
            // A display does not help a pinentry that shows everything in a terminal.
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
        // The cases: a copy in /tmp, a link to it, and a user's link to the right pinentry, which is what runs.
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
        // An agent ends when its channel is closed.
        let agent = try AgentRun(Self.flavours[0])
        #expect(agent.end() == .exited(0))
    }
}
