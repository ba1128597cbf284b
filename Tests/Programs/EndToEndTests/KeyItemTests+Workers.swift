import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Tests of the processes that calculate with keys: they end or are killed, and leave nothing behind.
extension KeyItemTests {
    @Test func aWorkerThatEndsTakesItsRequestAlone() throws {
        let key = try reference(make("survivor"))
        let custodian = try #require(household.custodianPID)
        let killed = household.keyWorkerPIDs
        #expect(!killed.isEmpty)
        // One that is killed at work fails the request that it has.
        for pid in killed { kill(pid, SIGSTOP) }
        let killing = Running(1) { _ in
            usleep(300_000)
            for pid in killed { kill(pid, SIGKILL) }
        }
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == -25291)
        try killing.join(within: 10)
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
        // One that is killed at rest fails none.
        for pid in household.keyWorkerPIDs { kill(pid, SIGKILL) }
        usleep(200_000)
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
        #expect(household.custodianPID == custodian, "and so no key was locked")
        // After the end of keyd, the next request starts keyd and a worker.
        kill(try #require(household.keydPID), SIGKILL)
        let first = try use("sign", key, Self.ecdsa, ["data": Self.message]).status
        #expect(first == 0 || first == -25291)
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
    }

    /// Daemons are killed at any moment.
    ///
    /// Both keys of an acknowledged pair are stored, and no other pair has only one.
    @Test func pairsSurviveKills() throws {
        var random = SeededGenerator(seed: UInt64.random(in: 0..<1_000_000))
        let parts: [String: Any] = ["type": Self.ec, "bsiz": 256, "perm": true]
        for round in 0..<12 {
            let victims = [household.daemonPID, household.custodianPID, household.keydPID].compactMap(\.self)
            let delay = UInt32.random(in: 0..<30_000, using: &random)
            let victim = victims.randomElement(using: &random)
            let killing = Running(1) { _ in
                usleep(delay)
                if let victim { kill(victim, SIGKILL) }
            }
            let query = parts.merging(["atag": tag("pair \(round)"), "tkid": "com.apple.setoken"]) { $1 }
            let answer = try probe.ask([
                "call": "makePair", "query": query.merging(["public": ["perm": true]]) { $1 },
            ])
            try killing.join(within: 10)
            let found = try find(["atag": tag("pair \(round)"), "m_Limit": "m_LimitAll", "r_Ref": true])
            if answer.status == 0 {
                #expect(found.array?.count == 2, "round \(round)")
                let key = try reference(find(["atag": tag("pair \(round)"), "kcls": "1", "r_Ref": true]))
                var signed = try use("sign", key, Self.ecdsa, ["data": Self.message])
                if signed.status == -25291 { signed = try use("sign", key, Self.ecdsa, ["data": Self.message]) }
                #expect(signed.status == 0, "round \(round)")
            } else {
                #expect(found.status == -25300 || found.array?.count == 2, "round \(round): \(answer.status)")
            }
        }
    }

    /// The search for the largest primes takes from a second to minutes. Other calls do not wait for it.
    @Test func whoMakesALargeKeyKeepsNobodyWaiting() throws {
        let key = try reference(make("quick"))
        let wanted = 20
        var answers = 0
        var statuses: [Int?] = []
        // A call that waited for the key would be answered after it: one for each key at the most.
        for number in 0..<wanted / 2 where answers < wanted {
            let maker = try household.probe("maker\(number)")
            let made = Mutex<Int?>(nil)
            let making = Running(1) { _ in
                let query: [String: Any] = ["type": Self.rsa, "bsiz": 8192, "perm": true]
                let status = (try? maker.ask(["call": "makeKey", "query": query]))?.status
                made.withLock { $0 = status ?? -1 }
            }
            // Until a worker calculates.
            for _ in 0..<50
            where !household.keyWorkerPIDs.contains(where: { ProcessStatus(of: $0).fact("State")?.first == "R" }) {
                usleep(10_000)
            }
            while answers < wanted, made.withLock({ $0 }) == nil {
                #expect(try find(["atag": tag("quick"), "r_Ref": true]).status == 0)
                #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
                if made.withLock({ $0 }) == nil { answers += 1 }
            }
            kill(maker.pid, SIGKILL)
            statuses.append(made.withLock { $0 })
            try making.join(within: 60)
        }
        #expect(answers == wanted, "others had \(answers) answers while keys were made: \(statuses)")
    }

    /// Only a process that uses the private number has it, and only for a moment.
    @Test func thePrivateNumberIsInNoOtherMemory() throws {
        guard Privilege.isThere() else { return }
        let made = try reference(
            probe.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256] as [String: Any]]))
        let bytes = try #require(try use("export", made, "").data)
        #expect(try probe.call("add", ["v_Ref": made, "atag": tag("scanned"), "extr": false]).status == 0)
        let number = [UInt8](bytes.suffix(32))
        let patterns = [number, number.reversed()]
        // The search does find a number that is there.
        #expect(!ProcessMemory(of: probe.pid).regions(holding: patterns).isEmpty)
        let signer = try household.probe()
        let key = try reference(find(["atag": tag("scanned"), "r_Ref": true], of: signer))
        for _ in 0..<3 {
            #expect(try use("sign", key, Self.ecdsa, ["data": Self.message], of: signer).status == 0)
        }
        let daemon = try #require(household.daemonPID)
        let workers = household.keyWorkerPIDs
        let others = [signer.pid, daemon, try #require(household.custodianPID)] + household.helperPIDs
        for pid in others where !workers.contains(pid) {
            let found = ProcessMemory(of: pid).regions(holding: patterns).map { "\($0.name) \($0.range)" }
            #expect(found == [], "\(ProcessTable.name(of: pid) ?? "?")")
        }
        expectForgotten(patterns, by: workers)
    }

    /// A worker keeps a key of RSA or of a NIST curve for another use, and forgets it once it is idle.
    @Test(arguments: [
        (Self.rsa, 2048, "algid:sign:RSA:message-PKCS1v15:SHA256"), (Self.ec, 256, Self.ecdsa),
        (Self.ec, 521, Self.ecdsa),
    ])
    func aKeyThatIsKeptGoesAfterItWasUsed(_ type: String, _ bits: Int, _ algorithm: String) throws {
        guard Privilege.isThere() else { return }
        let made = try reference(
            probe.ask(["call": "makeKey", "query": ["type": type, "bsiz": bits] as [String: Any]]))
        let bytes = try #require(try use("export", made, "").data)
        #expect(try probe.call("add", ["v_Ref": made, "atag": tag("kept"), "extr": false]).status == 0)
        // The bytes are part of the private exponent, or of the private number.
        let number = [UInt8](type == Self.rsa ? bytes.dropFirst(300).prefix(32) : bytes.suffix(32))
        let patterns = [number, number.reversed()]
        #expect(!ProcessMemory(of: probe.pid).regions(holding: patterns).isEmpty)
        let key = try reference(find(["atag": tag("kept"), "r_Ref": true]))
        for _ in 0..<3 { #expect(try use("sign", key, algorithm, ["data": Self.message]).status == 0) }
        let workers = household.keyWorkerPIDs
        #expect(!workers.isEmpty)
        expectForgotten(patterns, by: workers)
    }

    private func expectForgotten(
        _ patterns: [[UInt8]], by workers: [pid_t], _ location: SourceLocation = #_sourceLocation
    ) {
        func haveIt() -> Bool { workers.contains { !ProcessMemory(of: $0).regions(holding: patterns).isEmpty } }
        #expect(throws: Never.self, sourceLocation: location) {
            try until("the workers forget", within: Program.patience, every: 50_000) { !haveIt() }
        }
    }
}
