import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests that kill daemons while a team is added or removed, and while a program's items move to a team and back.
///
/// Each call is done completely or not at all. Rules: behaviour/access-groups.md.
@Suite struct SignedKillTests {
    private static let items = 12

    private let household: Household
    private let developers: Developers
    private let rounds: Int
    private let seed: UInt64

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        rounds = environment["ROUNDS"].flatMap { Int($0) } ?? 20
        seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
        household = try Household()
        developers = try Developers(in: household)
        try developers.makeTeam()
    }

    /// The result of a call whose daemons were killed: nil if it succeeded.
    private typealias Outcome = KeychainError?

    private func outcome(_ call: () throws -> Void) throws -> Outcome {
        do {
            try call()
            return nil
        } catch let error as KeychainError { return error }
    }

    /// Kills the daemon, the key custodian or both during a call, within the time that such a call takes.
    private func killing(
        _ round: Int, within time: Duration, _ random: inout SeededGenerator,
        _ call: @escaping @Sendable () throws -> Void
    ) throws -> Outcome {
        let daemon = try #require(household.daemonPID)
        var victims = [daemon]
        if round % 3 > 0, let custodian = household.custodianPID {
            victims = round % 3 == 1 ? [custodian] : [custodian, daemon]
        }
        let result = Shared<Outcome>(nil)
        let running = Running(1) { _ in
            let outcome = try outcome(call)
            result.withLock { $0 = outcome }
        }
        let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
        usleep(UInt32.random(in: 0...UInt32(clamping: microseconds), using: &random))
        for victim in victims { kill(victim, SIGKILL) }
        try running.join(within: Program.patience)
        return result.withLock { $0 }
    }

    private func teams() throws -> [String] { try household.client.teams(.list).map(\.team.text) }

    /// The duration of a call without a kill, with a margin.
    private func duration(_ call: () throws -> Void) throws -> Duration {
        try ContinuousClock().measure(call) * 5 / 4
    }

    // MARK: Teams

    private func addsAndRemoves(_ passcode: String?) throws {
        print("teams, kill test: \(rounds) rounds, SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let (client, team) = (household.client, try #require(TeamIdentifier(Developers.team)))
        let anchor = TemporaryFolder.read(developers.anchor())
        let add = TeamCommand.add(certificate: anchor, team: nil)
        let decide: @Sendable (TeamCommand) throws -> Void = { command in
            _ = try client.teams(command, passcode: passcode.map { SecretBytes($0.utf8) })
        }
        var times: [Bool: Duration] = [:]
        times[true] = try duration { try decide(add) }
        times[false] = try duration { try decide(.remove(team)) }
        var (done, undone) = (0, 0)
        for round in 0..<rounds {
            let isThere = try !teams().isEmpty
            let command = isThere ? .remove(team) : add
            let outcome = try killing(round, within: times[!isThere] ?? .zero, &random) { try decide(command) }
            // After the end of the key custodian, the device has to be unlocked first.
            if let passcode { try #require(try household.passcode(.unlock, passcode).outcome == .done) }
            let isThereNow = try !teams().isEmpty
            if isThereNow == isThere { undone += 1 } else { done += 1 }
            // A successful call was done. A failed one may have been done, and can be repeated.
            #expect(outcome != nil || isThereNow != isThere, "round \(round)")
            if isThereNow == isThere || !isThere { try decide(command) }
            let list = try client.teams(.list)
            #expect(
                list.map(\.problem) == (isThere ? [] : [""]), "round \(round): \(list), \(String(describing: outcome))")
        }
        print("teams, kills: rounds=\(rounds) done=\(done) undone=\(undone) SEED=\(seed)")
    }

    @Test func aTeamIsAddedOrNot() throws { try addsAndRemoves(nil) }

    @Test func aTeamIsAddedOrNotWithThePasscode() throws {
        try household.passcode(.set, Household.passcode)
        try addsAndRemoves(Household.passcode)
    }

    // MARK: Adoption

    @Test func allItemsGoOverOrNone() throws {
        print("adoption, kill test: \(rounds) rounds, SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let (client, path) = (household.client, "\(household.home)/writer")
        do {
            let writer = try household.probe("writer")
            for index in 0..<Self.items { try #require(try writer.add("item \(index)", "secret \(index)") == 0) }
        }
        let items = try household.probe("writer").all()
        try #require(items.count == Self.items)
        try developers.require(["app", "team", "add", developers.anchor()])
        try developers.sign("writer", groups: [])
        let signed = try household.probe("writer")
        let adopt: @Sendable (Bool) throws -> Void = { _ = try client.adopt(AdoptItems(path: path, isReturn: $0)) }
        var times: [Bool: Duration] = [:]
        for isReturn in [false, true] { times[isReturn] = try duration { try adopt(isReturn) } }
        var (done, undone) = (0, 0)
        for round in 0..<rounds {
            let isReturn = try !signed.all().isEmpty
            let outcome = try killing(round, within: times[isReturn] ?? .zero, &random) { try adopt(isReturn) }
            let found = try signed.all()
            #expect(found.isEmpty || found == items, "round \(round)")
            #expect(try client.status()["store.items"] == .number(Int64(Self.items)))
            let isDone = found.isEmpty == isReturn
            if isDone { done += 1 } else { undone += 1 }
            #expect(outcome != nil || isDone, "round \(round)")
            // Whether or not the move was done, repeating it gives the same result.
            try adopt(isReturn)
            #expect(try signed.all() == (isReturn ? [:] : items), "round \(round): \(String(describing: outcome))")
            let isListed = try developers.tool(["app", "list"]).output.contains { $0.hasPrefix("adopted") }
            #expect(isListed != isReturn, "round \(round)")
        }
        if try !signed.all().isEmpty { try adopt(true) }
        try #require(unlink(path + ".codesig") == 0)
        #expect(try household.probe("writer").all() == items)
        let report = try client.status()
        #expect(report["store.quarantined"] == .number(0) && report["store.losses"] == .number(0))
        print("adoptions, kills: rounds=\(rounds) done=\(done) undone=\(undone) SEED=\(seed)")
    }
}
