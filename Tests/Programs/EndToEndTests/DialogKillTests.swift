import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that kill a process that takes part in a dialog.
///
/// The caller learns of it soon, no secret is given out, the terminal is restored, and the next dialog works.
@Suite struct DialogKillTests {
    /// The killed process: it shows a dialog, starts those that show dialogs, holds the keys, or is the daemon.
    enum Victim: String, CaseIterable, CustomTestStringConvertible {
        case pinentry, agent, starter, custodian, daemon

        var testDescription: String { rawValue }
    }

    /// The statuses that a call may then have: neither success nor "no such item".
    private static let refusals: [Int32] = [-25308, -25291, -25293, -128].map { $0 & 0xFF }
    /// The seconds of a dialog: more than the limit of the test, so that no call ends with its dialog's time.
    private static let dialogSeconds = 2 * Int(Program.patience)

    @Test(.timeLimit(.minutes(5)), arguments: DialogTests.flavours, Victim.allCases)
    func nobodyIsLeftWaiting(_ pinentry: String, _ victim: Victim) throws {
        let asking = try AskingHousehold(pinentry, seconds: Self.dialogSeconds)
        let household = asking.household
        try asking.addGuarded("guarded")
        let reader = try asking.reader(of: "guarded")
        try asking.terminal.expect("Passcode:")
        _ = asking.terminal.settle()
        let agent = try #require(asking.agents.first)
        let dialog = try #require(
            ProcessTable.children(of: agent).first { ProcessTable.name(of: $0)?.hasPrefix("pinentry") == true })
        let pid: pid_t? =
            switch victim {
            case .pinentry: dialog
            case .agent: agent
            case .starter: household.helperPIDs.first { ProcessTable.name(of: $0) == "securityd-ask" }
            case .custodian: household.custodianPID
            case .daemon: household.daemonPID
            }
        try #require(kill(try #require(pid), SIGKILL) == 0)
        let (said, status) = reader.finish()
        #expect(Self.refusals.contains(status) && !said.contains("s3cret"), "\(status): \(said)")
        try until("\(victim): nobody is left") { [agent, dialog].allSatisfy { ProcessTable.hasEnded($0) } }
        try until("\(victim): the terminal echoes") { asking.terminal.echoes }

        // The unlocked state ends with the process that holds the keys.
        let isLocked = [.custodian, .daemon, .starter].contains(victim)
        if isLocked, try household.client.device(.state).state != .unlocked {
            #expect(try asking.reader(of: "guarded").finish().status == -25308 & 0xFF)
            try household.enter(.unlocked)
        } else if !isLocked {
            #expect(try household.client.device(.state).state == .unlocked)
        }
        let next = try asking.reader(of: "guarded")
        try asking.terminal.expect("Passcode:")
        _ = asking.terminal.settle()
        try asking.terminal.type(Household.passcode + "\r")
        let (answer, end) = next.finish()
        #expect(end == 0 && answer.contains("s3cret-guarded"), "\(answer)")
        try until("the terminal echoes after the next dialog") { asking.terminal.echoes }
    }

    /// The evaluation is not begun anew with the next daemon, so that the person sees no second dialog.
    @Test func anEvaluationFailsAtOnce() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let program = try asking.household.application("evaluating")
        let answers = try asking.answers(
            of: program, to: [["call": "context"], ["call": "evaluate", "context": 0]]
        ) {
            try asking.terminal.expect("Passcode:")
            _ = asking.terminal.settle()
            try #require(kill(try #require(asking.household.daemonPID), SIGKILL) == 0)
        }
        #expect(answers.map(\.status) == [0, -4])
        try until("the terminal echoes") { asking.terminal.echoes }
        #expect(!asking.terminal.settle(milliseconds: 100).contains("Passcode:"))
    }
}
