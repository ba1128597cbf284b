import CChatelaine
import ChatelaineIPC
import Foundation
import TestSupport
import Testing

/// Tests that the keychain locks with the system, with real daemons, a real bus and a stand-in for logind.
@Suite struct SystemEventTests {
    private func home(_ number: uid_t, passcode: Bool = true) throws -> BusHousehold {
        let home = try BusHousehold(user: Privilege.user(number))
        if passcode { try #require(try home.security("passcode", "set", "--stdin", reads: Household.passcode) == 0) }
        return home
    }

    @Test func sessionsOfTheUserLock() throws {
        guard Privilege.isThere() else { return }
        let home = try home(60)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        let probe = try home.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        try home.waitUntilHeard()
        var latencies: [Double] = []
        for signal in ["lock", "hint", "lock", "hint"] {
            try logind.tell("\(signal)-other")
            try home.expectUnlocked()
            let start = Date()
            try logind.tell(signal)
            try home.waitUntilLocked()
            latencies.append(Date().timeIntervalSince(start) * 1000)
            #expect(try probe.find("ada").status == -25308)
            // Any program can ask logind to unlock a session, so that message opens nothing.
            try logind.tell("unlock")
            usleep(200_000)
            #expect(try home.state == "locked")
            try home.unlock()
            #expect(try probe.find("ada").data == Data("s3cret".utf8))
        }
        print("milliseconds from logind's signal until a program sees the lock: \(latencies.map { Int($0) })")
        logind.end()
        withExtendedLifetime(bus) {}
    }

    /// File keychains have passwords of their own, and lock whether or not there is a passcode.
    @Test func fileKeychainsLockWithTheSession() throws {
        guard Privilege.isThere() else { return }
        let home = try home(69, passcode: false)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        let probe = try home.probe()
        try home.waitUntilHeard()
        func ask(_ call: String) throws -> ProbeAnswer {
            try probe.ask(["call": "keychain-\(call)", "path": "work", "passcodes": ["right"]])
        }
        #expect(try ask("create").status == 0)
        for signal in ["lock", "sleep"] {
            #expect(try ask("state").result as? Int == 7)
            try logind.tell(signal)
            try home.wait(for: "lock") { try ask("state").result as? Int == 6 }
            if signal == "sleep" { try logind.tell("wake") }
            #expect(try ask("unlock").result as? Int == 1)
        }
        // A keychain that is set not to lock with sleep stays open then; the session's lock applies to all.
        #expect(try home.security("create-keychain", "-p", "right", "locks") == 0)
        #expect(try home.security("set-keychain-settings", "-t", "3600", "work") == 0)
        try logind.tell("sleep")
        try home.wait(for: "sleep") {
            try probe.ask(["call": "keychain-state", "path": "locks", "passcodes": []]).result as? Int == 6
        }
        #expect(try ask("state").result as? Int == 7)
        try logind.tell("wake")
        try logind.tell("lock")
        try home.wait(for: "lock") { try ask("state").result as? Int == 6 }
        logind.end()
        withExtendedLifetime(bus) {}
    }

    @Test func theMachineSleepsOnceTheKeysAreGone() throws {
        guard Privilege.isThere() else { return }
        let home = try home(61)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        try home.waitUntilHeard()
        for _ in 0..<2 {
            #expect(try logind.inhibitors == 1)
            let custodian = try #require(home.household.custodianPID)
            // The inhibitor delays the sleep until the custodian has locked.
            try #require(kill(custodian, SIGSTOP) == 0)
            try logind.tell("sleep")
            usleep(500_000)
            #expect(try logind.inhibitors == 1)
            try #require(kill(custodian, SIGCONT) == 0)
            try home.wait(for: "sleep") { try logind.inhibitors == 0 }
            #expect(try home.state == "locked")
            try logind.tell("wake")
            try home.wait(for: "inhibitor") { try logind.inhibitors == 1 }
            #expect(try home.state == "locked")
            try home.unlock()
        }
        withExtendedLifetime(bus) {}
    }

    @Test func nobodyElseIsBelieved() throws {
        guard Privilege.isThere() else { return }
        let home = try home(62)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        try home.waitUntilHeard()
        for name in [""] + (try logind.names) {
            let stranger = try home.startStranger(to: name)
            for signal in ["lock", "hint", "sleep", "wake", "lock"] { try stranger.tell(signal) }
            stranger.end()
        }
        try home.expectUnlocked()
        #expect(try logind.inhibitors == 1)
        // A stranger is not believed while there is no logind either.
        let names = try logind.names
        logind.end()
        try home.wait(for: "end of logind") { try home.hearing == "no-logind" }
        for name in names {
            let stranger = try home.startStranger(to: name)
            for signal in ["lock", "sleep"] { try stranger.tell(signal) }
            stranger.end()
        }
        try home.expectUnlocked()
        withExtendedLifetime(bus) {}
    }

    @Test func junkIsBoundedAndHeardPast() throws {
        guard Privilege.isThere() else { return }
        let home = try home(63)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        try home.waitUntilHeard()
        let listener = try #require(home.listenerPID)
        for name in try logind.names {
            let stranger = try home.startStranger(to: name)
            try stranger.tell("junk 20000 10")
            try stranger.tell("junk 40 1000000")
            try stranger.tell("junk 4 30000000")
            stranger.end()
        }
        try logind.tell("lock")
        try home.waitUntilLocked()
        #expect(home.listenerPID == listener)
        #expect(ProcessTable.kibibytes("VmHWM", of: listener) < 200_000)
        try home.waitUntilHeard()
        #expect(try logind.inhibitors == 1)
        withExtendedLifetime(bus) {}
    }

    @Test func busAndLogindComeAndGo() throws {
        guard Privilege.isThere() else { return }
        let home = try home(64)
        let probe = try home.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        #expect(try home.hearing == "no-bus")
        for round in 0..<2 {
            let bus = try home.startBus()
            try home.wait(for: "bus") { try home.hearing == "no-logind" }
            var logind = try home.startLogind()
            try home.waitUntilHeard()
            logind.end()
            try home.wait(for: "end of logind") { try home.hearing == "no-logind" }
            logind = try home.startLogind()
            try home.waitUntilHeard()
            // The daemon holds the inhibitor of the former logind until it gets a new one.
            try home.wait(for: "inhibitor") { try logind.inhibitors == 1 }
            try logind.tell("lock")
            try home.waitUntilLocked()
            try home.unlock()
            #expect(try probe.find("ada").data == Data("s3cret".utf8), "round \(round)")
            kill(bus.pid, SIGKILL)
            try bus.finish()
            try home.wait(for: "end of the bus") { try home.hearing == "no-bus" }
            #expect(try home.state == "unlocked")
        }
    }

    /// After a gap, the daemon asks for locks and sleeps that it may have missed; a refusal may hide a lock.
    @Test func whatWasMissedIsAskedFor() throws {
        guard Privilege.isThere() else { return }
        let home = try home(65)
        let bus = try home.startBus()
        var logind = try home.startLogind()
        try home.waitUntilHeard()
        for state in ["locked", "sleep", "refuse"] {
            logind.end()
            try home.wait(for: "end of logind") { try home.hearing == "no-logind" }
            #expect(try home.state == "unlocked")
            let listener = try #require(home.listenerPID)
            try #require(kill(listener, SIGSTOP) == 0)
            logind = try home.startLogind()
            try logind.tell(state)
            try #require(kill(listener, SIGCONT) == 0)
            try home.waitUntilLocked()
            try home.unlock()
        }
        withExtendedLifetime(bus) {}
    }

    @Test func whoNeverAnswersHoldsNothingUp() throws {
        guard Privilege.isThere() else { return }
        let home = try home(66)
        let probe = try home.probe()
        do {
            // This bus accepts connections but never answers.
            let listener = chatelaine_unix_socket()
            defer { close(listener) }
            try #require(
                chatelaine_unix_bind(listener, home.socketPath) == 0 && chmod(home.socketPath, 0o666) == 0
                    && listen(listener, 16) == 0)
            usleep(3_000_000)
            #expect(try home.hearing == "no-bus")
            #expect(try probe.add("ada", "s3cret") == 0)
            #expect(try home.security("lock") == 0)
            #expect(try home.state == "locked")
            try home.unlock()
        }
        let bus = try home.startBus()
        try home.wait(for: "bus", within: 60) { try home.hearing == "no-logind" }
        let logind = try home.startLogind("SILENT")
        try home.wait(for: "logind") { try home.hearing == "no-delay" }
        // The daemon cannot find out in time whether a session is locked.
        try home.waitUntilLocked(within: 30)
        try home.unlock()
        try logind.tell("lock-other")
        // The daemon cannot find out in time whose session it is, so it assumes the user's.
        try home.waitUntilLocked(within: 30)
        try home.unlock()
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        withExtendedLifetime(bus) {}
    }

    @Test func idleSessionsLock() throws {
        guard Privilege.isThere() else { return }
        let home = try home(67)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        try home.waitUntilHeard()
        try logind.tell("idle 1000")
        try home.expectUnlocked()
        #expect(try home.security("settings", "--idle-lock", "30") != 0)
        #expect(try home.setIdleLock("30") == 0)
        try home.waitUntilLocked()
        // A period of idleness locks only once.
        try home.unlock()
        usleep(2_500_000)
        #expect(try home.state == "unlocked")
        try logind.tell("idle -1")
        #expect(try home.setIdleLock("3") == 0)
        try home.expectUnlocked()
        try logind.tell("idle 1")
        try home.expectUnlocked()
        try home.waitUntilLocked(within: 20)
        // The setting outlives the daemon.
        try logind.tell("idle -1")
        home.household.dismiss()
        try home.unlock()
        try home.waitUntilHeard()
        try home.expectUnlocked()
        try logind.tell("idle 10")
        try home.waitUntilLocked(within: 20)
        #expect(try home.setIdleLock("0") == 0)
        try home.unlock()
        try logind.tell("idle -1")
        try logind.tell("idle 500")
        usleep(2_500_000)
        #expect(try home.state == "unlocked")
        withExtendedLifetime(bus) {}
    }

    @Test func withoutAPasscodeNothingIsLocked() throws {
        guard Privilege.isThere() else { return }
        let home = try home(68, passcode: false)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        let probe = try home.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        try home.waitUntilHeard()
        for signal in ["lock", "hint", "sleep"] { try logind.tell(signal) }
        try home.wait(for: "sleep") { try logind.inhibitors == 0 }
        #expect(try home.state == "unlocked")
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        withExtendedLifetime(bus) {}
    }
}
