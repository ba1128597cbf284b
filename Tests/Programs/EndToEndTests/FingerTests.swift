import CChatelaine
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of items that ask for a finger, with real daemons, agent, pinentry and bus, and a stand-in for fprintd
/// (behaviour/presence.md).
@Suite struct FingerTests {
    private static let presence = 1 << 0
    private static let anyFinger = 1 << 1
    private static let theseFingers = 1 << 3
    private static let secret = Data("s3cret".utf8)

    private func home(_ number: uid_t, fingers: String = "right-index-finger") throws -> FingerHousehold {
        try FingerHousehold(user: Privilege.user(number), fingers: fingers)
    }

    @Test func aFingerOrThePasscode() throws {
        guard Privilege.isThere() else { return }
        let home = try home(70)
        #expect(try home.answer(home.add("ada", flags: Self.presence)).status == 0)
        // Storing an item that needs presence does not ask which fingers are enrolled.
        #expect(try home.reader.claims == 0)
        var reader = try home.read("ada")
        try home.terminal.expect("reader allows it, too")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        try home.waitUntilReleased()
        // A wrong finger leaves the dialog open, and the passcode is typed into the same one.
        reader = try home.read("ada")
        try home.touch("verify-no-match")
        try home.type(Household.passcode)
        #expect(try home.answer(reader).data == Self.secret)
        try home.waitUntilReleased()
        #expect(try home.reader.claims >= 2)
    }

    @Test func aFingerAndNothingElse() throws {
        guard Privilege.isThere() else { return }
        let home = try home(71)
        #expect(try home.answer(home.add("ada", flags: Self.anyFinger)).status == 0)
        #expect(try home.answer(home.read("ada", ["u_AuthUI": "u_AuthUIF"])).status == -25308)
        var reader = try home.read("ada")
        try home.terminal.expect("Touch the fingerprint reader")
        // A touch that the reader could not read is no try.
        try home.touch("verify-retry-scan", isDone: false)
        try home.touch("verify-swipe-too-short", isDone: false)
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        try home.waitUntilReleased()
        // A wrong finger counts as a try, and the dialog says so.
        reader = try home.read("ada")
        try home.touch("verify-no-match")
        try home.terminal.expect("4 tries are left")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        // The dialog has one button.
        reader = try home.read("ada")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        try home.terminal.expect("Touch the fingerprint reader")
        _ = home.terminal.settle()
        try home.terminal.type("\r")
        #expect(try home.answer(reader).status == -128)
        try home.waitUntilReleased()
    }

    /// After five wrong fingers, only the passcode helps; it ends the lockout, but does not count as a finger.
    @Test func tooManyWrongFingers() throws {
        guard Privilege.isThere() else { return }
        let home = try home(72)
        #expect(try home.answer(home.add("ada", flags: Self.anyFinger)).status == 0)
        var reader = try home.read("ada")
        for _ in 0..<5 { try home.touch("verify-no-match") }
        #expect(try home.answer(reader).status == -25293)
        try home.waitUntilReleased()
        let claims = try home.reader.claims
        reader = try home.read("ada")
        try home.type(Household.passcode)
        try home.terminal.expect("Touch the fingerprint reader")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        #expect(try home.reader.claims == claims + 1)
        // A new custodian does not know the count of wrong fingers, so it asks for the passcode first.
        kill(try #require(home.household.custodianPID), SIGKILL)
        try home.bus.unlock()
        reader = try home.read("ada")
        try home.terminal.expect("Touch the fingerprint reader")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
    }

    /// `biometryCurrentSet` accepts only the fingers that were enrolled when the item was stored.
    @Test func otherFingersAreEnrolled() throws {
        guard Privilege.isThere() else { return }
        let home = try home(73)
        #expect(try home.answer(home.add("ada", flags: Self.theseFingers)).status == 0)
        #expect(try home.answer(home.add("bob", flags: Self.anyFinger)).status == 0)
        var reader = try home.read("ada")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        try home.reader.tell("fingers right-index-finger left-thumb")
        #expect(try home.answer(home.read("ada")).status == -25293)
        reader = try home.read("bob")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        #expect(try home.answer(home.add("eve", flags: Self.theseFingers)).status == 0)
        reader = try home.read("eve")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        // The fingers change while the dialog waits; those enrolled at the match count.
        reader = try home.read("bob")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        try home.reader.tell("fingers")
        try home.reader.tell("verify verify-match 1")
        #expect(try home.answer(reader).status == -25293)
        // No finger is enrolled, there is no reader, or fprintd refuses.
        for words in ["fingers", "reader none", "refuse 1"] {
            try home.reader.tell("fingers left-thumb")
            try home.reader.tell(words)
            for account in ["ada", "bob", "eve"] { #expect(try home.answer(home.read(account)).status == -25293) }
            #expect(try home.answer(home.add("new", flags: Self.anyFinger)).status == -25293)
            try home.reader.tell("reader Test Reader")
        }
    }

    /// fprintd sends nonsense, sends nothing, is in use, or ends during a request; or the bus ends.
    @Test func aReaderThatFails() throws {
        guard Privilege.isThere() else { return }
        let home = try home(74)
        #expect(try home.answer(home.add("ada", flags: Self.anyFinger)).status == 0)
        #expect(try home.answer(home.add("bob", flags: Self.presence)).status == 0)
        // Another client has the reader, and the dialog waits for it.
        try home.reader.tell("busy 1")
        var reader = try home.read("ada")
        try home.terminal.expect("Touch the fingerprint reader")
        try home.reader.tell("busy 0")
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        // The reader fails while the dialog waits for it.
        reader = try home.read("ada")
        try home.touch("verify-disconnected")
        #expect(try home.answer(reader).status == -25308)
        try home.waitUntilReleased()
        // The reader's name is too long, or there are too many names of fingers.
        try home.reader.tell("reader \(String(repeating: "x", count: 300))")
        #expect(try home.answer(home.read("ada")).status == -25293)
        try home.reader.tell("reader Test Reader")
        try home.reader.tell("fingers \((1...12).map { "finger\($0)" }.joined(separator: " "))")
        #expect(try home.answer(home.read("ada")).status == -25293)
        try home.reader.tell("fingers right-index-finger")
        // fprintd ends during the request; the passcode still works.
        reader = try home.read("bob")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        home.reader.end()
        try home.type(Household.passcode)
        #expect(try home.answer(reader).data == Self.secret)
        #expect(try home.answer(home.read("ada")).status == -25293)
        home.reader = try home.bus.startFprintd()
        try home.reader.tell("fingers right-index-finger")
        reader = try home.read("ada")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        home.reader.end()
        #expect(try home.answer(reader).status == -25308)
        // fprintd does not answer. The first request waits for a short time, and later ones do not wait.
        home.reader = try home.bus.startFprintd()
        try home.reader.tell("fingers right-index-finger")
        try home.reader.tell("mute 1")
        #expect(try home.answer(home.read("ada")).status == -25293)
        let start = Date()
        reader = try home.read("bob")
        try home.type(Household.passcode)
        #expect(try home.answer(reader).data == Self.secret)
        print("seconds with a reader that says nothing: \(Date().timeIntervalSince(start))")
        home.endBus()
        reader = try home.read("bob")
        try home.type(Household.passcode)
        #expect(try home.answer(reader).data == Self.secret)
    }

    /// The reader is released when the calling program ends, the device locks, or the helper ends.
    @Test func theReaderIsGivenBack() throws {
        guard Privilege.isThere() else { return }
        let home = try home(75)
        #expect(try home.answer(home.add("ada", flags: Self.anyFinger)).status == 0)
        var reader = try home.read("ada")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        for process in ProcessTable.named("keeper", of: home.household.uid) { kill(process, SIGKILL) }
        _ = reader.finish()
        try home.waitUntilReleased()
        // The device locks while the dialog waits; a later match counts for nothing.
        reader = try home.read("ada")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        try #require(try home.bus.security("lock") == 0)
        #expect(try home.answer(reader).status == -128)
        try home.waitUntilReleased()
        try home.bus.unlock()
        // securityd-match ends, and securityd ends with it; the next call starts another daemon.
        reader = try home.read("ada")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        kill(try #require(home.household.helperPIDs.first { ProcessTable.name(of: $0) == "securityd-match" }), SIGKILL)
        try home.waitUntilReleased()
        _ = reader.finish()
    }

    /// Messages of fprintd count from fprintd alone, and those of securityd-match from securityd-match alone.
    @Test func nobodyElseIsBelieved() throws {
        guard Privilege.isThere() else { return }
        let home = try home(76)
        #expect(try home.answer(home.add("ada", flags: Self.anyFinger)).status == 0)
        let reader = try home.read("ada")
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        let path = try home.reader.tell("path")
        for name in [""] + (try home.reader.names) {
            let stranger = try home.bus.startFingerStranger(to: name, path: path)
            for result in ["verify-match", "verify-no-match"] { try stranger.tell("verify \(result) 1") }
            stranger.end()
        }
        // A program of the same user cannot take the channel between enclaved and securityd-match.
        let helper = try #require(home.household.helperPIDs.first { ProcessTable.name(of: $0) == "securityd-match" })
        let custodian = try #require(home.household.custodianPID)
        let said = try home.bus.program(
            [
                "sh", "-c",
                "for pid in \(helper) \(custodian); do ls /proc/$pid/fd >/dev/null 2>&1 && echo open; cat /proc/$pid/maps >/dev/null 2>&1 && echo read; done; echo end",
            ], as: home.household.uid)
        #expect(String(decoding: try said.line(), as: UTF8.self) == "end")
        usleep(300_000)
        #expect(try home.reader.isVerifying)
        try home.touch()
        #expect(try home.answer(reader).data == Self.secret)
        // Only enclaved and securityd-match hold the ends of that channel; neither securityd nor another helper does.
        let daemon = try #require(home.household.daemonPID)
        let ends = ProcessTable.sockets(of: helper).union(ProcessTable.sockets(of: custodian))
        #expect(ends.count >= 4)
        for other in [daemon] + home.household.helperPIDs where other != helper {
            #expect(ends.isDisjoint(with: ProcessTable.sockets(of: other)))
        }
    }

    /// `LAContext` uses fingers for its policies.
    @Test func contextsAskForFingers() throws {
        guard Privilege.isThere() else { return }
        let home = try home(79)
        let make: [String: Any] = ["call": "context"]
        let evaluate: (Int) -> [String: Any] = { ["call": "evaluate", "context": $0, "policy": 1] }
        let find: [String: Any] = [
            "call": "find",
            "query": ["class": "genp", "svce": "fingers", "acct": "ada", "r_Data": true, "u_AuthCtx": ["context": 0]],
        ]
        #expect(try home.answer(home.add("ada", flags: Self.anyFinger)).status == 0)
        // The first evaluation needs a finger, after a wrong one. Later uses reuse it, and so may another context that
        // allows reuse.
        var reader = try home.run([
            make, ["call": "canEvaluate", "context": 0, "policy": 1], evaluate(0), evaluate(0), find,
            ["call": "context", "reuse": 60], evaluate(1), make, ["call": "set", "context": 2, "silent": true],
            evaluate(2),
        ])
        try home.terminal.expect("wants to know that it is you")
        try home.touch("verify-no-match")
        try home.touch()
        var answers = try reader.answers()
        #expect(answers.map(\.status) == [0, 0, 0, 0, 0, 0, 0, 0, 0, -1004])
        let looked = try #require(answers[1].result as? [String: Any])
        #expect(looked["biometry"] as? Int == 1 && (looked["domain"] as? String)?.isEmpty == false)
        try home.waitUntilReleased()
        // The dialog has a button for another way, unless the program gives an empty title, and a button to cancel.
        reader = try home.run([["call": "context", "fallback": "Type it"], evaluate(0)])
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        try home.terminal.expect("nother way: “Type it”")
        _ = home.terminal.settle()
        try home.terminal.type("a")
        #expect(try reader.answers().map(\.status) == [0, -3])
        reader = try home.run([["call": "context", "fallback": ""], evaluate(0)])
        try home.bus.wait(for: "wait for a finger") { try home.reader.isVerifying }
        try home.terminal.expect("Touch the fingerprint reader")
        _ = home.terminal.settle()
        try home.terminal.type("\r")
        #expect(try reader.answers().map(\.status) == [0, -2])
        // Other fingers are enrolled, so the domain changes; then no finger is enrolled; then there is no reader.
        for (words, status) in [("fingers left-thumb", 0), ("fingers", -7), ("reader none", -6)] {
            try home.reader.tell(words)
            answers = try home.run([make, ["call": "canEvaluate", "context": 0, "policy": 1]]).answers()
            #expect(answers.map(\.status) == [0, status])
            let result = answers.last?.result as? [String: Any]
            if status != 0 { #expect(try home.run([make, evaluate(0)]).answers().map(\.status) == [0, status]) }
            #expect(result?["domain"] as? String != looked["domain"] as? String)
            #expect(result?["whole"] as? String == result?["domain"] as? String)
            #expect(result?["biometry"] as? Int == (status == -6 ? 0 : 1))
        }
    }

    /// The doctor reports the reader, within a short time even if fprintd does not answer.
    @Test func theDoctorTellsOfTheReader() throws {
        guard Privilege.isThere() else { return }
        let home = try home(81)
        func told() throws -> String? {
            let doctor = try home.bus.program(["\(home.household.home)/security", "doctor"], as: home.household.uid)
            return try doctor.rest().first { $0.contains("device.fingerprint") }
        }
        #expect(try told()?.contains("as well as the passcode") == true)
        for (words, said) in [
            ("fingers", "no finger is enrolled"), ("mute 1", "no fingerprint reader, or fprintd does not answer"),
        ] {
            try home.reader.tell(words)
            #expect(try told()?.hasPrefix("ok") == true)
            #expect(try told()?.contains(said) == true)
        }
        // The report did not claim the reader.
        #expect(try home.reader.claims == 0)
    }

    /// Contexts learn of a lockout after too many wrong fingers, even before they ask.
    @Test func aLockoutIsToldToContexts() throws {
        guard Privilege.isThere() else { return }
        let home = try home(80)
        let reader = try home.run([
            ["call": "context"], ["call": "evaluate", "context": 0, "policy": 1],
            ["call": "canEvaluate", "context": 0, "policy": 1], ["call": "evaluate", "context": 0, "policy": 1],
            ["call": "canEvaluate", "context": 0, "policy": 2],
        ])
        for _ in 0..<5 { try home.touch("verify-no-match") }
        #expect(try reader.answers().map(\.status) == [0, -1, -8, -8, 0])
    }
}
