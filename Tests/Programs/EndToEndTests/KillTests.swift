import CChatelaine
import Foundation
import TestSupport
import Testing

/// Tests that kill daemons at any moment: acknowledged changes stay, and calls succeed with a delay at most.
@Suite struct KillTests {
    private static let programs = 4
    private static let accounts = 6
    /// The number of looks for a victim, 2 ms apart; without a request, no daemon runs.
    private static let looks = 5_000

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// A program's passwords, key and certificate after its calls.
    ///
    /// Each call must answer as if no daemon had been killed. A repeated add finds no duplicate of its own making, and
    /// a repeated deletion finds what it deleted.
    private struct Model {
        var passwords: [String: String] = [:]
        var hasKey = false
        var hasCertificate = false
        var random: SeededGenerator
        var calls = 0
        /// The number of acknowledged changes.
        var changes = 0

        mutating func step(_ probe: ProbeProcess) throws {
            let account = "account \(Int.random(in: 0..<KillTests.accounts, using: &random))"
            let secret = "secret \(calls)"
            calls += 1
            let isThere = passwords[account] != nil
            switch Int.random(in: 0..<11, using: &random) {
            case 0...2:
                let status = try probe.add(account, secret)
                try #require(status == (isThere ? -25299 : 0), "add of \(account), there: \(isThere)")
                if !isThere {
                    passwords[account] = secret
                    changes += 1
                }
            case 3, 4:
                let status = try probe.update(account, secret)
                try #require(status == (isThere ? 0 : -25300), "update of \(account), there: \(isThere)")
                if isThere {
                    passwords[account] = secret
                    changes += 1
                }
            case 5, 6:
                let status = try probe.delete(account)
                try #require(status == (isThere ? 0 : -25300), "delete of \(account), there: \(isThere)")
                if isThere { changes += 1 }
                passwords[account] = nil
            case 8: try stepKey(probe)
            case 9: try stepCertificate(probe)
            default:
                let answer = try probe.find(account)
                try #require(answer.status == (isThere ? 0 : -25300), "find of \(account), there: \(isThere)")
                try #require(answer.data.map { String(decoding: $0, as: UTF8.self) } == passwords[account])
            }
        }

        private static var key: [String: Any] { ["class": "keys", "atag": PasswordTests.data("of the kill test")] }
        private static var certificate: [String: Any] {
            ["class": "cert", "v_Ref": ["certificate": SampleCertificates.leaf]]
        }

        /// A key is made once, signs whenever it is found, and one deletion removes it.
        private mutating func stepKey(_ probe: ProbeProcess) throws {
            guard hasKey else {
                let query: [String: Any] = [
                    "type": "73", "bsiz": 256, "perm": true, "public": ["perm": false] as [String: Any],
                ]
                let made = try probe.ask(["call": "makeKey", "query": query.merging(Self.key) { $1 }])
                try #require(made.status == 0, "a key is made")
                (hasKey, changes) = (true, changes + 1)
                return
            }
            let found = try probe.call("find", Self.key.merging(["r_Ref": true]) { $1 })
            let reference = try #require(found.dictionary?["reference"] as? Int, "the key is found: \(found.status)")
            let signed = try probe.ask([
                "call": "sign", "algorithm": "algid:sign:ECDSA:message-X962:SHA256",
                "query": ["key": ["reference": reference], "data": PasswordTests.data("message")] as [String: Any],
            ])
            try #require(signed.status == 0, "the key signs")
            guard Bool.random(using: &random) else { return }
            let deleted = try probe.call("delete", Self.key)
            try #require(deleted.status == 0, "the key is deleted")
            (hasKey, changes) = (false, changes + 1)
        }

        private mutating func stepCertificate(_ probe: ProbeProcess) throws {
            let isDeletion = Bool.random(using: &random)
            let status = try probe.call(isDeletion ? "delete" : "add", Self.certificate).status
            let expected = isDeletion ? (hasCertificate ? 0 : -25300) : (hasCertificate ? -25299 : 0)
            try #require(status == expected, "deletion: \(isDeletion), there: \(hasCertificate)")
            if status == 0 { (hasCertificate, changes) = (!isDeletion, changes + 1) }
        }

        /// Checks that the program has what its calls have left.
        func check(_ probe: ProbeProcess) throws {
            #expect(try probe.all() == passwords)
            for (query, isThere) in [(Self.key, hasKey), (Self.certificate, hasCertificate)] {
                let found = try probe.call(
                    "find", query.merging(["m_Limit": "m_LimitAll", "r_Attributes": true]) { $1 })
                #expect(found.status == (isThere ? 0 : -25300) && found.array?.count ?? 0 == (isThere ? 1 : 0))
            }
        }
    }

    /// The processes that a round kills: the daemon, its key custodian if there is one, or both.
    private static func victims(_ choice: Int, of household: Household, _ running: Running) throws -> [pid_t] {
        for _ in 0..<looks {
            try running.check()
            if let daemon = household.daemonPID {
                guard choice > 1, let custodian = household.custodianPID else { return [daemon] }
                return choice > 3 ? [custodian, daemon] : [custodian]
            }
            usleep(2_000)
        }
        throw Absent()
    }

    private struct Absent: Error {}

    @Test func whatIsAcknowledgedStays() throws {
        let rounds = Self.setting("ROUNDS") ?? 20
        let seed = Self.setting("SEED") ?? Int.random(in: 0..<1_000_000)
        print("kill test: \(rounds) rounds, SEED=\(seed)")
        var random = SeededGenerator(seed: UInt64(seed))
        let household = try Household()
        let probes = try (0..<Self.programs).map { try household.probe("program\($0)") }
        let models = probes.indices.map { Shared(Model(random: SeededGenerator(seed: UInt64(seed + 1 + $0)))) }
        let running = Running(repeating: probes.count) { index in
            try models[index].withLock { try $0.step(probes[index]) }
        }
        var kills = 0
        for round in 0..<rounds {
            usleep(UInt32.random(in: 0..<60_000, using: &random))
            let choice = Int.random(in: 0..<5, using: &random)
            for victim in try Self.victims(choice, of: household, running) where kill(victim, SIGKILL) == 0 {
                kills += 1
            }
            // Interrupted calls get their answers before the next kill, since a call is repeated only a few times.
            for model in models { model.withLock { _ in } }
            // The check runs while other programs go on: none changes the items of another, and no change is half done.
            if round % 5 == 4 {
                for (probe, model) in zip(probes, models) { try model.withLock { try $0.check(probe) } }
            }
        }
        try running.stop()
        household.dismiss()
        for (probe, model) in zip(probes, models) { try model.withLock { try $0.check(probe) } }
        let calls = models.map { $0.withLock { $0.calls } }.reduce(0, +)
        let changes = models.map { $0.withLock { $0.changes } }.reduce(0, +)
        print("kills rounds=\(rounds) kills=\(kills) calls=\(calls) acknowledged=\(changes) SEED=\(seed)")
        #expect(kills >= rounds)
        #expect(household.daemons.count == 1)
        let report = try probes[0].decide("status").dictionary
        #expect(report?["store.quarantined"] as? Int == 0)
        #expect(report?["store.losses"] as? Int == 0)
        // No item is missing, and the report names none.
        #expect(report?["store.missing.lost"] == nil && report?["store.missing.changes"] == nil)
    }

    @Test func theCustodianOutlivesTheClientThatHadItStarted() throws {
        let household = try Household()
        let first = try household.probe("first")
        #expect(try first.add("a", "b") == 0)
        let custodian = try #require(household.custodianPID)
        first.finish()
        let second = try household.probe("second")
        for _ in 0..<20 { #expect(try second.find("a").status == -25300) }
        #expect(try second.add("a", "b") == 0)
        #expect(household.custodianPID == custodian)
    }

    /// A custodian whose folder was exchanged ends at the next request for a channel.
    ///
    /// The caller that waits for the channel has to notice.
    @Test func theCustodianDiesWhileAChannelIsBeingOpened() throws {
        let household = try Household()
        let probes = try (0..<Self.programs).map { try household.probe("program\($0)") }
        for probe in probes { #expect(try probe.add("a", "b") == 0) }
        let custodian = try #require(household.custodianPID)
        let folder = "\(household.home)/state/enclave"
        try #require(rename(folder, folder + ".aside") == 0)
        try FileManager.default.copyItem(atPath: folder + ".aside", toPath: folder)
        // Two calls at once need a second channel.
        let running = Running(repeating: probes.count) { index in
            try #require(try probes[index].find("a").data == Data("b".utf8))
        }
        let handle = chatelaine_pidfd_open(custodian)
        defer { if handle >= 0 { close(handle) } }
        var ended = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        if handle >= 0 {
            #expect(poll(&ended, 1, Int32(Program.patience * 1000)) == 1, "nobody needed a second channel")
        }
        try running.stop()
        #expect(household.custodianPID != custodian)
    }

    @Test func theCustodianEndsWithTheDaemon() throws {
        let household = try Household()
        #expect(try household.probe().add("a", "b") == 0)
        let custodian = try #require(household.custodianPID)
        let handle = chatelaine_pidfd_open(custodian)
        try #require(handle >= 0)
        defer { close(handle) }
        household.dismiss()
        var ended = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ended, 1, Int32(Program.patience * 1000)) == 1)
    }
}
