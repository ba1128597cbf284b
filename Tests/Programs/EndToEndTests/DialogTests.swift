import ChatelaineIPC
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of a program that asks for an item while a person at its terminal answers, with the real daemon, helper, agent
/// and pinentry.
@Suite struct DialogTests {
    static let flavours = ["/usr/bin/pinentry-tty", "/usr/bin/pinentry-curses"]
    /// The low bytes of the statuses, which are the command's exit statuses.
    private static let interactionNotAllowed: Int32 = -25308 & 0xFF
    private static let userCanceled: Int32 = -128 & 0xFF
    private static let authFailed: Int32 = -25293 & 0xFF

    @Test(arguments: flavours, ["passcode", "consent"])
    func theRightPasscodeLetsTheSecretOut(_ pinentry: String, _ account: String) throws {
        let asking = try AskingHousehold(pinentry)
        let reader = try asking.reader(of: account)
        try asking.terminal.expect("/security")
        try asking.terminal.expect("account \(account)")
        try asking.terminal.expect("Passcode:")
        _ = asking.terminal.settle()
        try asking.terminal.type(Household.passcode + "\r")
        let (said, status) = reader.finish()
        #expect(status == 0 && said.contains("s3cret-\(account)"), "\(said)")
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
        guard geteuid() == 0, let daemon = asking.household.daemonPID else { return }
        // The passcode bypasses the daemon, whose helpers were forked before it was typed.
        #expect(ProcessMemory(of: daemon).regions(holding: [Array(Household.passcode.utf8)]).isEmpty)
        for helper in asking.household.helperPIDs {
            #expect(ProcessMemory(of: helper).regions(holding: [Array(Household.passcode.utf8)]).isEmpty)
        }
    }

    @Test(arguments: flavours)
    func threeWrongOnesAreEnough(_ pinentry: String) throws {
        let asking = try AskingHousehold(pinentry)
        let reader = try asking.reader(of: "passcode")
        for text in ["Passcode:", "4 tries are left", "3 tries are left"] {
            try asking.terminal.expect(text)
            _ = asking.terminal.settle()
            try asking.terminal.type("wrong\r")
        }
        #expect(reader.finish().status == Self.authFailed)
        try asking.awaitNoAgent()
        // The tries count for the person, and for no program.
        #expect(try asking.household.client.device(.state).failures == 0)
    }

    @Test(arguments: flavours)
    func cancelAndTimeOut(_ pinentry: String) throws {
        let asking = try AskingHousehold(pinentry, seconds: 3)
        let reader = try asking.reader(of: "passcode")
        try asking.terminal.expect("Passcode:")
        _ = asking.terminal.settle()
        try asking.terminal.type("\r")
        var (said, status) = reader.finish()
        #expect(status == Self.userCanceled && !said.contains("in time"), "\(said)")
        (said, status) = try asking.reader(of: "passcode").finish()
        #expect(status == Self.userCanceled && said.contains("in time"), "\(said)")
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
    }

    @Test func whereNobodyCanBeAsked() throws {
        let asking = try AskingHousehold(Self.flavours[0])
        // The call has no terminal, although its standard input is one.
        var (said, status) = try asking.reader(of: "passcode", inTerminal: false).finish()
        #expect(status == Self.interactionNotAllowed, "\(said)")
        // Whether or not the device is locked, a call that needs no person is answered.
        (said, status) = try asking.reader(of: "plain", inTerminal: false).finish()
        #expect(status == 0, "\(said)")
        for (pinentry, reason) in [("/usr/none/pinentry", "no pinentry"), ("/bin/true", "does not work")] {
            let asking = try AskingHousehold(pinentry)
            let (said, status) = try asking.reader(of: "passcode").finish()
            #expect(status == Self.interactionNotAllowed && said.contains(reason), "\(said)")
        }
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Self.flavours[0], toPath: folder.path + "/pinentry")
        let other = try AskingHousehold(folder.path + "/pinentry")
        (said, status) = try other.reader(of: "passcode").finish()
        #expect(status == Self.interactionNotAllowed && said.contains("others than root"), "\(said)")
    }

    @Test(arguments: flavours)
    func whoDiesTakesItsDialogWithIt(_ pinentry: String) throws {
        let asking = try AskingHousehold(pinentry)
        let reader = try asking.reader(of: "passcode")
        try asking.terminal.expect("Passcode:")
        #expect(asking.agents.count == 1)
        // setsid(1) forks if it leads a process group.
        for pid in [reader.process.pid] + ProcessTable.children(of: reader.process.pid) { kill(pid, SIGKILL) }
        _ = reader.finish()
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
    }

    @Test func lockingTakesThePromptsBack() throws {
        let asking = try AskingHousehold(Self.flavours[0])
        let reader = try asking.reader(of: "passcode")
        try asking.terminal.expect("Passcode:")
        _ = try asking.household.client.device(.lock)
        let (said, status) = reader.finish()
        #expect(status == Self.userCanceled && said.contains("locked"), "\(said)")
        try asking.awaitNoAgent()
    }

    @Test func othersAreServedWhileSomeWait() throws {
        let asking = try AskingHousehold(Self.flavours[0])
        // A program may have eight questions at a time.
        let readers = try asking.readers(of: "passcode", count: 8)
        try until("eight wait") { try asking.waiting == 8 }
        try asking.terminal.expect("Passcode:")
        for _ in 0..<20 {
            let (said, status) = try asking.reader(of: "plain", inTerminal: false).finish()
            #expect(status == 0 && said.contains("s3cret-plain"), "\(said)")
        }
        #expect(asking.agents.count == 1)
        for number in 0..<8 {
            if number > 0 { try asking.terminal.expect("Passcode:") }
            _ = asking.terminal.settle()
            try asking.terminal.type(Household.passcode + "\r")
        }
        let (said, status) = readers.finish()
        #expect(status == 0 && said.components(separatedBy: "s3cret-passcode").count == 9, "\(said)")
        #expect(asking.terminal.shown.contains("6 more requests wait."))
    }

    @Test func theAgentIsShutIn() throws {
        let asking = try AskingHousehold(Self.flavours[0])
        let reader = try asking.reader(of: "passcode")
        try asking.terminal.expect("Passcode:")
        let agent = try #require(asking.agents.first)
        let status = try String(contentsOfFile: "/proc/\(agent)/status", encoding: .utf8)
        #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"))
        let pinentry = try #require(
            ProcessTable.children(of: agent).first { ProcessTable.name(of: $0) == "pinentry-tty" })
        if geteuid() == 0 {
            // pinentry has two pipes, `/dev/null` and the terminal, and no descriptor of securityd.
            let folder = "/proc/\(pinentry)/fd"
            let targets = try FileManager.default.contentsOfDirectory(atPath: folder).map {
                try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            let pipes = Set(targets.filter { $0.hasPrefix("pipe:") })
            #expect(
                Set(targets).subtracting(pipes) == ["/dev/null", asking.terminal.path] && pipes.count == 2, "\(targets)"
            )
            let environment = try String(contentsOfFile: "/proc/\(pinentry)/environ", encoding: .utf8)
            #expect(!environment.contains("CHATELAINE") && !environment.contains("GLIBC_TUNABLES"), "\(environment)")
        }
        reader.process.kill()
    }

    // MARK: On a display

    private static let hasDisplays =
        access("/usr/bin/Xvfb", X_OK) == 0 && access("/usr/bin/pinentry-gtk-2", X_OK) == 0
        && access("/usr/bin/pinentry-qt", X_OK) == 0

    /// Starts a display of the test's own; returns its name and its server.
    private func display() throws -> (name: String, server: ChildProcess) {
        let number = try TestPipe(isEnded: false)
        let server = try ChildProcess(
            ["Xvfb", "-displayfd", "1"], files: [(number.writing, 1)], inheritsOthers: false, isQuiet: true)
        number.end()
        // The server writes the number and the end of the line separately.
        var (name, byte) = (":", UInt8(0))
        while true {
            try #require(read(number.reading, &byte, 1) == 1)
            if byte == UInt8(ascii: "\n") { return (name, server) }
            name.unicodeScalars.append(Unicode.Scalar(byte))
        }
    }

    @Test(
        .enabled(if: hasDisplays, "optional: there is no Xvfb, or no pinentry of a desktop"),
        arguments: ["/usr/bin/pinentry-gtk-2", "/usr/bin/pinentry-qt"], ["passcode", "consent"])
    func aToolkitLivesUnderOurFilter(_ pinentry: String, _ account: String) throws {
        let (name, server) = try display()
        let asking = try AskingHousehold(pinentry, display: name)
        let reader = try asking.reader(of: account, inTerminal: false)
        try until("a pinentry runs") { asking.agents.first.map { !ProcessTable.children(of: $0).isEmpty } ?? false }
        // A pinentry that its sandbox kills would end the question.
        sleep(2)
        #expect(try asking.waiting == 1)
        _ = try asking.household.client.device(.lock)
        let (said, status) = reader.finish()
        #expect(status == Self.userCanceled && said.contains("locked"), "\(said)")
        try asking.awaitNoAgent()
        server.kill()
    }

    @Test(.enabled(if: hasDisplays, "optional: there is no Xvfb, or no pinentry of a desktop"))
    func aDisplayThatIsNotThere() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-gtk-2", display: ":4711")
        let (said, status) = try asking.reader(of: "passcode", inTerminal: false).finish()
        #expect(status == Self.interactionNotAllowed, "\(said)")
    }
}
