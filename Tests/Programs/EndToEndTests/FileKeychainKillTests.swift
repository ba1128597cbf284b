import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that kill daemons and programs at any moment while keys are made in a file keychain, and while a PKCS#12 file
/// is imported.
@Suite struct FileKeychainKillTests {
    private static let notFound = -25300
    private static let (ecdsa, rsa) = (
        "algid:sign:ECDSA:message-X962:SHA256", "algid:sign:RSA:message-PKCS1v15:SHA256"
    )
    /// The longest wait before a kill, in microseconds: making a key takes 1 ms, and importing a file about 20 ms.
    private static let longestDelay: UInt32 = 40_000
    /// The tries of a call: each starts missing daemons, and two killed daemons start one after the other.
    private static let tries = 5

    private let household: Household

    init() throws {
        household = try Household()
        _ = try household.application("app")
        try household.create("a")
    }

    private static func count(_ name: String, _ fallback: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? fallback
    }

    /// Unlocks the keychain, which is locked after its custodian was killed.
    private func unlock() throws {
        for attempt in 1...Self.tries {
            if let outcome = try? household.unlock("a"), outcome == .done { return }
            try #require(attempt < Self.tries, "the keychain opens no more")
            usleep(10_000)
        }
    }

    private func victims(_ probe: ProbeProcess) -> [pid_t] {
        let formats = household.formatdPIDs
        return [household.daemonPID, household.custodianPID, household.keydPID, probe.pid].compactMap(\.self)
            + formats + formats.flatMap { ProcessTable.children(of: $0) }
    }

    /// The call's answer while a process is killed; nil if that was the program, which another one then replaces.
    private func ask(
        _ command: [String: Any], of probe: inout ProbeProcess, _ random: inout SeededGenerator
    ) throws -> ProbeAnswer? {
        let delay = UInt32.random(in: 0..<Self.longestDelay, using: &random)
        let choice = Int.random(in: 0..<Int.max, using: &random)
        let (program, killed) = (probe, Shared(pid_t(0)))
        let killing = Running(1) { _ in
            usleep(delay)
            let victims = victims(program)
            let victim = victims[choice % victims.count]
            killed.withLock { $0 = victim }
            kill(victim, SIGKILL)
        }
        let answer = try? probe.ask(command)
        try killing.join(within: Program.patience)
        // The program may have been killed after its answer.
        if killed.withLock({ $0 }) == program.pid { probe = try household.silentProbe("app") }
        return answer
    }

    private func find(
        _ itemClass: String, _ more: [String: Any] = [:], of probe: ProbeProcess
    ) throws -> [[String: Any]] {
        let query: [String: Any] = [
            "class": itemClass, "m_SearchList": [["keychain": "a"]], "m_Limit": "m_LimitAll", "r_Ref": true,
        ]
        let answer = try probe.call("find", query.merging(more) { $1 })
        if answer.status == Self.notFound { return [] }
        try #require(answer.status == 0)
        return answer.array ?? []
    }

    /// Whether the call succeeds within its tries.
    ///
    /// A killed worker fails one request. A killed keyd also ends its custodian, which locks the keychain again.
    private func succeeds(_ command: [String: Any], of probe: ProbeProcess) throws -> Bool {
        for _ in 0..<Self.tries {
            if try probe.ask(command).status == 0 { return true }
            try unlock()
        }
        return false
    }

    private func signs(_ key: [String: Any], _ algorithm: String, of probe: ProbeProcess) throws -> Bool {
        let command: [String: Any] = [
            "call": "sign", "algorithm": algorithm,
            "query": ["key": key, "data": PasswordTests.data("message")] as [String: Any],
        ]
        return try succeeds(command, of: probe)
    }

    /// Whether both keys of a pair are stored and the private one signs; nil if neither is stored.
    private func pair(_ name: String, of probe: ProbeProcess) throws -> Bool? {
        let all = try find("keys", ["atag": PasswordTests.data(name)], of: probe)
        guard !all.isEmpty else { return nil }
        let own = try find("keys", ["atag": PasswordTests.data(name), "kcls": "1"], of: probe)
        guard all.count == 2, own.count == 1, let key = own.first else { return false }
        return try signs(key, Self.ecdsa, of: probe)
    }

    @Test func pairsAreWholeOrNotThere() throws {
        let (rounds, seed) = (Self.count("ROUNDS", 12), Self.count("SEED", Int.random(in: 0..<1_000_000)))
        var random = SeededGenerator(seed: UInt64(seed))
        var probe = try household.silentProbe("app")
        var acknowledged: [String] = []
        for round in 0..<rounds {
            let name = "pair \(round)"
            let query: [String: Any] = [
                "type": 73, "bsiz": 256, "perm": true, "u_Keychain": ["keychain": "a"],
                "atag": PasswordTests.data(name),
            ]
            let answer = try ask(["call": "makePair", "query": query], of: &probe, &random)
            try unlock()
            let isThere = try pair(name, of: probe)
            #expect(isThere != false && (answer?.status != 0 || isThere == true), "round \(round), SEED=\(seed)")
            if answer?.status == 0 { acknowledged.append(name) }
        }
        for name in acknowledged { #expect(try pair(name, of: probe) == true, "\(name), SEED=\(seed)") }
    }

    /// An import is several requests.
    ///
    /// A kill may leave certificates, but never a key without its certificate; the same import completes it.
    @Test func anImportIsCompletedByTheNext() throws {
        let (rounds, seed) = (Self.count("ROUNDS", 12), Self.count("SEED", Int.random(in: 0..<1_000_000)))
        var random = SeededGenerator(seed: UInt64(seed))
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/modern.p12")
        let options: [String: Any] = ["passphrase": "password", "keychain": ["keychain": "a"]]
        let command: [String: Any] = [
            "call": "pkcs12", "data": try Data(contentsOf: place).base64EncodedString(), "options": options,
        ]
        var probe = try household.silentProbe("app")
        try #require(try probe.ask(command).status == 0)
        let whole = try find("cert", of: probe).count
        for round in 0..<rounds {
            let comment: Comment = "round \(round), SEED=\(seed)"
            for itemClass in ["keys", "cert"] {
                let query: [String: Any] = ["class": itemClass, "m_SearchList": [["keychain": "a"]]]
                try #require(try succeeds(["call": "delete", "query": query], of: probe), comment)
            }
            let answer = try ask(command, of: &probe, &random)
            try unlock()
            let (keys, identities) = (try find("keys", of: probe), try find("idnt", of: probe))
            #expect(keys.count == identities.count, comment)
            if answer?.status == 0 { #expect(try identities.count == 1 && find("cert", of: probe).count == whole) }
            #expect(try succeeds(command, of: probe), comment)
            let identity = try #require(try find("idnt", of: probe).first, comment)
            let key = try #require(identity["key"] as? [String: Any], comment)
            #expect(try signs(key, Self.rsa, of: probe), comment)
            #expect(try find("cert", of: probe).count == whole, comment)
        }
    }
}
