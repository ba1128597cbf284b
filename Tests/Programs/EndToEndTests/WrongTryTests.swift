import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of many wrong passcodes through every interface that takes one, while daemons are killed.
///
/// Only as many are checked as the delays allow, and nothing else changes.
@Suite struct WrongTryTests {
    /// The interfaces that take a passcode from a program, in the words of its request.
    enum Interface: CaseIterable {
        case unlock, change, remove, newKeys, listAll, develop, accept, forget, restore, deleteSnapshots, settings

        /// Whether the request did its work.
        ///
        /// - Parameter folder: a folder declared as in development, with a known program.
        func put(_ passcode: SecretBytes, to client: KeychainClient, _ folder: String) throws(KeychainError) -> Bool {
            switch self {
            case .unlock: return try client.call(.unlock, [passcode]).outcome == .done
            case .change: return try client.call(.change, [passcode, SecretBytes("another".utf8)]).outcome == .done
            case .remove: return try client.call(.remove, [passcode]).outcome == .done
            case .newKeys: return try client.call(.newKeys, [passcode]).outcome == .done
            case .listAll: _ = try client.listAll(ItemQuery(itemClass: .genericPassword), passcode: passcode)
            case .develop: _ = try client.applications(.develop(path: folder), passcode: passcode)
            case .accept: _ = try client.applications(.accept(path: folder + "/keeper"), passcode: passcode)
            case .forget: _ = try client.applications(.forget(path: folder), passcode: passcode)
            case .restore:
                guard let name = try client.snapshots(.list()).first?.name else { return false }
                _ = try client.snapshots(.restore(name: name), passcode: passcode)
            case .deleteSnapshots: _ = try client.snapshots(.deleteAll(kept: 0), passcode: passcode)
            case .settings: _ = try client.settings(.setIdleTimeout(77), passcode: passcode)
            }
            return true
        }
    }

    private static let rounds = setting("ROUNDS") ?? 300
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// The most tries that Apple's delays allow: five at once, then one after 1, 5, 15 and 15 minutes, then one each
    /// hour.
    private static func mostFailures(after seconds: Double) -> UInt32 {
        let minutes: [Double] = [1, 6, 21, 36]
        let late = seconds > 96 * 60 ? UInt32((seconds / 60 - 36) / 60) : 0
        return 5 + UInt32(minutes.count { seconds >= $0 * 60 }) + late
    }

    @Test func noNumberOfTriesGetsFurther() throws {
        let seed = Self.setting("SEED") ?? Int.random(in: 0..<1_000_000)
        var random = SeededGenerator(seed: UInt64(seed))
        let household = try Household()
        let client = household.client
        let folder = household.home + "/build"
        try #require(mkdir(folder, 0o755) == 0)
        let probe = try household.probe("build/keeper")
        #expect(try probe.add("ada", "s3cret") == 0)
        _ = try client.applications(.develop(path: folder))
        try household.passcode(.set, Household.passcode)
        try household.waitUntilSealedAnew()
        let snapshot = try #require(try client.snapshots(.take()).first?.name)
        let (settings, programs) = (try client.settings(.show), try client.applications(.list))
        let start = Date()
        var failures: UInt32 = 0
        var (kills, answered, locked, lost) = (0, 0, 0, 0)
        let tries = Self.setting("ROUNDS").map { $0 * Interface.allCases.count } ?? Self.rounds
        for round in 0..<tries {
            let interface = Interface.allCases[round % Interface.allCases.count]
            do throws(KeychainError) {
                let isLetIn = try interface.put(SecretBytes("wrong \(round)".utf8), to: client, folder)
                #expect(!isLetIn, "\(interface), round \(round), SEED=\(seed)")
                answered += 1
            } catch {
                #expect(
                    [.authFailed, .interactionNotAllowed, .notAvailable].contains(error.status),
                    "\(interface): \(error.status) \(error.reason)")
                switch error.status {
                case .authFailed: answered += 1
                // The device locks after each kill. Then no decision about programs is made, and no passcode is checked
                // for it.
                case .interactionNotAllowed: locked += 1
                default: lost += 1
                }
            }
            if Int.random(in: 0..<30, using: &random) == 0 {
                let victims = [household.custodianPID, Bool.random(using: &random) ? household.daemonPID : nil]
                for victim in victims.compactMap({ $0 }) where kill(victim, SIGKILL) == 0 { kills += 1 }
            }
            guard round % 20 == 19 || round == tries - 1 else { continue }
            let now = try client.device(.state).failures
            #expect(now >= failures, "a failure was forgotten in round \(round), SEED=\(seed)")
            failures = now
        }
        let most = Self.mostFailures(after: Date().timeIntervalSince(start))
        // The counted passcodes were checked; the other answers came before the end of a delay.
        print(
            "tries put=\(tries) seen=\(failures) allowed=\(most) early=\(answered - Int(failures)) "
                + "locked=\(locked) lost=\(lost) kills=\(kills) SEED=\(seed)")
        #expect(failures >= 5 && failures <= most)
        // The right passcode is delayed too, and the state is unchanged.
        #expect(try client.call(.unlock, [SecretBytes(Array(Household.passcode.utf8))]).outcome == .delayed)
        #expect(try client.device(.state).hasPasscode)
        #expect(try client.snapshots(.list()).contains { $0.name == snapshot })
        #expect(try client.settings(.show) == settings)
        let list = try client.applications(.list)
        #expect(list.map(\.path) == programs.map(\.path) && list.map(\.state) == programs.map(\.state))
    }

    /// Copies of a program get only a few tries altogether, and do not delay the person at the dialog.
    @Test func manyProgramsGetNoFurtherThanAFew() throws {
        let asking = try AskingHousehold(DialogTests.flavours[0])
        let household = asking.household
        try asking.addGuarded("guarded")
        var failures = 0
        for number in 0..<8 {
            let probe = try household.probe("guesser \(number)")
            for round in 0..<8 {
                let answer = try probe.ask(["call": "unlock", "passcodes": ["wrong \(round)"]])
                #expect(answer.dictionary?["outcome"] as? Int != Int(PasscodeOutcome.done.rawValue))
            }
            failures += try probe.ask(["call": "state"]).dictionary?["failures"] as? Int ?? 0
            probe.finish()
        }
        #expect(failures == 20)
        #expect(
            try household.client.call(.unlock, [SecretBytes(Array(Household.passcode.utf8))]).outcome == .delayed)
        let reader = try asking.reader(of: "guarded")
        try answer(asking, Household.passcode)
        let (said, status) = reader.finish()
        #expect(status == 0 && said.contains("s3cret-guarded"), "\(said)")
    }

    private func answer(_ asking: AskingHousehold, _ text: String, at prompt: String = "Passcode:") throws {
        try asking.terminal.expect(prompt)
        _ = asking.terminal.settle()
        try asking.terminal.type(text + "\r")
    }

    /// Whoever types wrong passcodes in a program's terminal makes that program wait, and nobody else.
    @Test func dialogsGetNoFurtherEither() throws {
        let asking = try AskingHousehold(DialogTests.flavours[0])
        try asking.addGuarded("first")
        try asking.addGuarded("second", accessControl: "devicePasscode")
        let reader = try asking.reader(of: "first")
        for round in 0..<3 { try answer(asking, "wrong \(round)") }
        let (said, status) = reader.finish()
        #expect(status == -25293 & 0xFF && !said.contains("s3cret"), "\(said)")
        // The program is held back, whichever item it asks for, and no dialog takes a further try.
        for number in 0..<max(3, Self.rounds / 500) {
            let (said, status) = try asking.reader(of: number % 2 == 0 ? "first" : "second").finish()
            #expect(status == -25293 & 0xFF && !said.contains("s3cret"), "\(number): \(said)")
        }
        // A program's tries are counted separately.
        #expect(try asking.household.client.device(.state).failures == 0)
        #expect(try asking.household.passcode(.unlock, Household.passcode).outcome == .done)
        // The right passcode clears what was wrong before.
        let served = try asking.reader(of: "first")
        try answer(asking, Household.passcode)
        #expect(served.finish().said.contains("s3cret-first"))
    }

    /// A program's own password is no passcode: a wrong one opens nothing and counts nowhere.
    @Test func applicationPasswordsAreTriedInVain() throws {
        let asking = try AskingHousehold(DialogTests.flavours[0])
        let adding = try AskingHousehold.Reader(
            [
                "setsid", "--ctty", "--wait", "sh", "-c",
                "printf s3cret-own | \"$0\" item add -s dialogs -a own --stdin --access-control applicationPassword",
                asking.tool,
            ], environment: asking.household.variables.map { "\($0)=\($1)" }, terminal: asking.terminal.device)
        try answer(asking, "open sesame", at: "New password:")
        try answer(asking, "open sesame", at: "The same again:")
        #expect(adding.finish().status == 0)
        for number in 0..<max(4, Self.rounds / 200) {
            let reader = try asking.reader(of: "own")
            try answer(asking, number % 2 == 1 ? Household.passcode : "wrong \(number)", at: "Password:")
            let (said, status) = reader.finish()
            #expect(status == -25293 & 0xFF && !said.contains("s3cret"), "\(said)")
            guard number % 4 == 3 else { continue }
            try asking.household.enter(.beforeFirstUnlock)
            try asking.household.enter(.unlocked)
        }
        let reader = try asking.reader(of: "own")
        try answer(asking, "open sesame", at: "Password:")
        #expect(reader.finish().said.contains("s3cret-own"))
        #expect(try asking.household.client.device(.state).failures == 0)
    }

    // MARK: Two programs

    /// Wrong answers to one program's dialog, by whoever drives its terminal, do not affect another program's dialog.
    @Test func oneProgramAnswersWronglyAndTheOtherIsServed() throws {
        let asking = try AskingHousehold(DialogTests.flavours[0])
        let other = try TestTerminal()
        try asking.addGuarded("guarded")
        let wrong = try AskingHousehold.Reader(
            [
                "setsid", "--ctty", "--wait", asking.tool, "item", "find", "-s", "dialogs", "-a", "guarded", "--secret",
            ], environment: asking.household.variables.map { "\($0)=\($1)" }, terminal: other.device)
        try other.expect("Passcode:")
        let right = try asking.reader(of: "guarded")
        try asking.terminal.expect("Passcode:")
        for text in ["not this one", "nor this", "nor that"] {
            _ = other.settle()
            try other.type(text + "\r")
            if text != "nor that" { try other.expect("Passcode:") }
        }
        let refused = wrong.finish()
        #expect(refused.status == -25293 & 0xFF && !refused.said.contains("s3cret"), "\(refused.said)")
        _ = asking.terminal.settle()
        try asking.terminal.type(Household.passcode + "\r")
        let served = right.finish()
        #expect(served.status == 0 && served.said.contains("s3cret-guarded"), "\(served.said)")
        // An answer for one program opens nothing for the other, which asks anew.
        let again = try AskingHousehold.Reader(
            [
                "setsid", "--ctty", "--wait", asking.tool, "item", "find", "-s", "dialogs", "-a", "guarded", "--secret",
            ], environment: asking.household.variables.map { "\($0)=\($1)" }, terminal: other.device)
        try other.expect("Passcode:")
        _ = other.settle()
        try other.type("\r")
        #expect(again.finish().status == -128 & 0xFF)
    }
}
