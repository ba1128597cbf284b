import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the device passcode through the real daemons.
@Suite struct DevicePasscodeTests {
    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    private var state: LockState { get throws { try household.client.device(.state).state } }

    @Test func aPasscodeIsSetUsedChangedAndRemoved() throws {
        #expect(try probe.add("ada", "s3cret") == 0)
        let before = try household.client.device(.state)
        #expect(before.state == .unlocked && !before.hasPasscode && !before.isProtected && before.memory == 0)
        // Without a passcode, nothing is locked, and no request accepts a passcode.
        #expect(try household.client.device(.lock) == before)
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        for command in [PasscodeCommand.unlock, .remove, .newKeys] {
            #expect(status { try household.passcode(command, "1234") } == .param)
        }
        #expect(status { try household.passcode(.set, "abc") } == .param)
        #expect(status { try household.passcode(.set, "") } == .param)
        #expect(status { try household.passcode(.set, String(repeating: "a", count: 1025)) } == .param)

        let set = try household.passcode(.set, Household.passcode)
        #expect(set.outcome == .done && set.hasPasscode && set.state == .unlocked && set.memory >= 19_456)
        #expect(status { try household.passcode(.set, "another") } == .param)
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        #expect(try household.client.device(.lock).state == .locked)
        #expect(try probe.find("ada").status == -25308)
        #expect(try household.passcode(.unlock, "wrong").outcome == .wrong)
        #expect(try probe.find("ada").status == -25308)
        #expect(try household.passcode(.unlock, Household.passcode).failures == 0)
        #expect(try probe.find("ada").data == Data("s3cret".utf8))

        #expect(try household.passcode(.change, "wrong", "battery staple").outcome == .wrong)
        #expect(try household.passcode(.change, Household.passcode, "battery staple").outcome == .done)
        #expect(try household.passcode(.unlock, Household.passcode).outcome == .wrong)
        #expect(try household.passcode(.newKeys, "battery staple").outcome == .done)
        #expect(try household.client.device(.lock).state == .locked)
        #expect(try household.passcode(.unlock, "battery staple").state == .unlocked)
        #expect(try probe.find("ada").data == Data("s3cret".utf8))

        // A restart of securityd unlocks nothing.
        #expect(try household.client.device(.lock).state == .locked)
        household.dismiss()
        #expect(try state == .beforeFirstUnlock)
        #expect(try probe.find("ada").status == -25308)
        #expect(try household.passcode(.remove, "wrong").outcome == .wrong)
        #expect(try state == .beforeFirstUnlock)
        let removed = try household.passcode(.remove, "battery staple")
        #expect(removed.outcome == .done && !removed.hasPasscode && removed.state == .unlocked)
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        #expect(try household.client.device(.lock).state == .unlocked)
    }

    private func status(_ body: () throws -> DeviceReport) -> Status? {
        do { _ = try body() } catch { return (error as? KeychainError)?.status }
        return nil
    }

    /// Each program waits for its own wrong passcodes; a passcode that arrives during the wait is not checked.
    @Test func wrongPasscodesCountForEachProgram() throws {
        try household.passcode(.set, Household.passcode)
        for number in 1...5 {
            let report = try household.passcode(.unlock, "wrong \(number)")
            #expect(report.outcome == .wrong && report.failures == number)
            #expect((report.delay > 0) == (number == 5))
        }
        for _ in 0..<300 {
            let report = try household.passcode(.unlock, Household.passcode)
            #expect(report.outcome == .delayed && report.failures == 5 && report.delay <= 60_000)
        }
        // The count survives both a new custodian and a new securityd.
        try household.killCustodian()
        #expect(try household.passcode(.unlock, Household.passcode).outcome == .delayed)
        household.dismiss()
        #expect(try household.passcode(.unlock, Household.passcode).outcome == .delayed)
        // The delay of one program does not hold up another.
        let answer = try probe.ask(["call": "unlock", "passcodes": ["mistyped"]])
        #expect(answer.status == 0 && answer.dictionary?["outcome"] as? Int == 2)
        let right = try probe.ask(["call": "unlock", "passcodes": [Household.passcode]])
        #expect(right.dictionary?["outcome"] as? Int == 1 && right.dictionary?["failures"] as? Int == 0)
        // A right passcode resets all counts.
        #expect(try household.passcode(.unlock, Household.passcode).outcome == .done)
    }

    /// The end of the custodian alone makes securityd forget its keys, even if no look-up needs one.
    @Test func anEndedCustodianLocks() throws {
        try household.passcode(.set, Household.passcode)
        #expect(try probe.add("ada", "s3cret") == 0)
        let attributes = ProbeProcess.password("ada").merging(["r_Attributes": true]) { $1 }
        #expect(try probe.call("find", attributes).status == 0)
        try household.killCustodian()
        // securityd learns of the end soon, but not necessarily before the next call.
        let end = Date().addingTimeInterval(20)
        while try probe.call("find", attributes).status == 0 { try #require(Date() < end, "nobody noticed") }
        #expect(try probe.call("find", attributes).status == -25308)
        #expect(try state == .beforeFirstUnlock)
    }

    /// Whenever the custodian is killed, one of the two passcodes is right, and no item is lost.
    @Test func theCustodianIsKilledDuringChanges() throws {
        #expect(try probe.add("ada", "s3cret") == 0)
        var random = SeededGenerator()
        var present: String?
        for round in 0..<6 {
            let next = "passcode \(round)"
            let pid = try #require(household.custodianPID)
            let delay = UInt32.random(in: 0...250_000, using: &random)
            let killing = Running(1) { _ in
                usleep(delay)
                kill(pid, SIGKILL)
            }
            do throws(KeychainError) {
                let passcodes = [present, next].compactMap { $0 }.map { SecretBytes(Array($0.utf8)) }
                _ = try household.client.call(present == nil ? .set : .change, passcodes)
            } catch { #expect(error.status == .notAvailable, "\(error.reason)") }
            try killing.join(within: 30)
            let report = try household.client.device(.state)
            if report.hasPasscode {
                #expect(report.state == .beforeFirstUnlock || report.state == .unlocked)
                let isNew = try household.passcode(.unlock, next).outcome == .done
                if !isNew {
                    #expect(try household.passcode(.unlock, try #require(present)).outcome == .done)
                }
                present = isNew ? next : present
            } else {
                #expect(present == nil)
            }
            #expect(try probe.find("ada").data == Data("s3cret".utf8), "round \(round), after \(delay) µs")
        }
    }

    /// A request that waits for its passcode check holds up no look-up.
    @Test func lookUpsGoOnWhilePasscodesAreLookedAt() throws {
        try household.passcode(.set, Household.passcode)
        #expect(try probe.add("ada", "s3cret") == 0)
        let household = household
        let running = Running(repeating: 3) { _ in
            do throws(KeychainError) {
                let report = try household.client.call(.unlock, [SecretBytes(Array(Household.passcode.utf8))])
                try? #require(report.outcome == .done)
            } catch { try? #require(error.status == .notAvailable, "\(error.reason)") }
        }
        for _ in 0..<200 { #expect(try probe.find("ada").data == Data("s3cret".utf8)) }
        try running.stop()
    }
}
