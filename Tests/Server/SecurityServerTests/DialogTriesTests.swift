import ChatelaineModel
import EnclaveProtocol
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// Wrong secrets in terminals of a program hold that program back.
@Suite struct DialogTriesTests: FakeDialogs {
    /// A program that types wrong passcodes in its own terminals is held back there before the delay of all dialogs.
    @Test func whoTypesWrongOnesInItsTerminalIsHeldBack() throws {
        let passcode = FakePasscode("right")
        let agents = FakeAgents(Self.type("wrong"))
        let queue = try queue(agents, passcode)
        func ask(_ program: String, _ terminal: String) throws -> String {
            let inquiry = try inquiry(terminal: terminal, from: program)
            #expect(queue.ask(inquiry))
            return word(try answer(inquiry))
        }
        #expect(try ask("/opt/evil", "/dev/pts/1") == "wrong")
        for terminal in ["/dev/pts/1", "/dev/pts/2"] { #expect(try ask("/opt/evil", terminal) == "impossible") }
        #expect(passcode.failures.withLock { $0 } == 3)
        // Another program is asked about. Its dialogs have tries of their own, whatever the first one typed.
        #expect(try ask("/opt/good", "/dev/pts/3") == "wrong")
        // The right passcode, given anywhere, clears the common count.
        passcode.failures.withLock { $0 = 0 }
        #expect(try ask("/opt/evil", "/dev/pts/1") == "wrong")
        #expect(try ask("/opt/evil", "/dev/pts/1") == "impossible")
    }

    /// What is typed at a display is typed by the person, who may mistype.
    @Test func atADisplayNobodyIsHeldBack() throws {
        let passcode = FakePasscode("right")
        let queue = try queue(FakeAgents(Self.type("wrong")), passcode, session: ["DISPLAY=:0"])
        for _ in 0..<2 {
            passcode.failures.withLock { $0 = 0 }
            let inquiry = try inquiry()
            #expect(queue.ask(inquiry))
            #expect(word(try answer(inquiry)) == "wrong")
            passcode.failures.withLock { $0 = 3 }
        }
    }

    /// The session of the display has ended. Its dialogs come to the program's own terminal, which is no display.
    @Test func aDisplayThatIsGoneIsATerminal() throws {
        let passcode = FakePasscode("right")
        let agents = FakeAgents { dialog, pipe in
            dialog.terminal == nil ? .nowhere : Self.type("wrong")(dialog, pipe)
        }
        let queue = try queue(agents, passcode, session: ["DISPLAY=:77"])
        func ask(terminal: String?) throws -> String {
            let inquiry = try inquiry(terminal: terminal, from: "/opt/evil")
            #expect(queue.ask(inquiry))
            return word(try answer(inquiry))
        }
        #expect(try ask(terminal: "/dev/pts/1") == "wrong")
        #expect(try ask(terminal: "/dev/pts/1") == "impossible")
        #expect(passcode.failures.withLock { $0 } == 3)
        #expect(try ask(terminal: nil) == "impossible")
    }

    @Test(arguments: [(["DISPLAY="], false), (["WAYLAND_DISPLAY=", "LANG=C"], false), (["DISPLAY=:0"], true)])
    func anEmptyNameIsNoDisplay(_ session: [String], _ isDisplay: Bool) {
        let place = DialogPlace.Finder(pinentry: "/usr/bin/env", session: session).place(forTerminal: "/dev/pts/1")
        #expect(place == (isDisplay ? .display : .terminal("/dev/pts/1")))
    }

    private func record(_ now: @escaping @Sendable () -> Int = { 1 }) -> DialogTries {
        DialogTries(log: Log(program: "test", path: "/dev/null", mayWrite: { true }), now: now)
    }

    /// Several dialogs of a program that are shown already bring no more tries than one.
    @Test func aTryTakesItsPlaceBeforeItIsChecked() throws {
        let tries = record()
        let (question, other) = (try inquiry().question, try inquiry(from: "/opt/good").question)
        var later = PasscodeStanding()
        later.triesLeft = 2
        #expect(DialogTries.mostOfShown < EnclaveWire.triesBeforeDelay)
        let places = try (0..<DialogTries.mostOfShown).map { _ in try #require(tries.take(question)) }
        #expect(tries.take(question) == nil && tries.take(other) != nil)
        // Some were right, or could not be checked.
        for _ in 1..<DialogTries.mostOfShown { tries.giveBack(question) }
        #expect(tries.note(question, later, at: places[0]))
        let others = try (1..<DialogTries.mostOfShown).map { _ in try #require(tries.take(question)) }
        #expect(tries.take(question) == nil && tries.refusal(of: question) { false } == nil)
        #expect(others.map { tries.note(question, later, at: $0) } == [true, false, false])
        #expect(tries.take(question) == nil)
        #expect(tries.refusal(of: question) { false }?.status == .authFailed)
    }

    /// The custodian's answer to its first try may be noted after the answers to later ones.
    @Test func triesThatWereNotedSinceCount() throws {
        let (tries, question) = (record(), try inquiry().question)
        var (first, later) = (PasscodeStanding(), PasscodeStanding())
        (first.triesLeft, later.triesLeft) = (4, 2)
        let places = try (0..<DialogTries.mostOfShown).map { _ in try #require(tries.take(question)) }
        #expect(places.dropFirst().map { tries.note(question, later, at: $0) } == [true, true, false])
        #expect(!tries.note(question, first, at: places[0]) && tries.take(question) == nil)
        #expect(tries.refusal(of: question) { false }?.status == .authFailed)
    }

    /// With four terminals a program does not bring the delay of all dialogs about.
    @Test func dialogsInSeveralTerminalsHaveTheTriesOfOne() throws {
        let passcode = FakePasscode("right")
        // No dialog is answered before all are shown.
        let shown = Mutex(0)
        let agents = FakeAgents { dialog, pipe in
            shown.withLock { $0 += 1 }
            try? until { shown.withLock { $0 >= 4 } }
            return Self.type("wrong")(dialog, pipe)
        }
        let queue = try queue(agents, passcode)
        let inquiries = try (1...4).map { try inquiry(terminal: "/dev/pts/\($0)", from: "/opt/evil") }
        for inquiry in inquiries { #expect(queue.ask(inquiry)) }
        for inquiry in inquiries { #expect(word(try answer(inquiry)) == "wrong") }
        #expect(passcode.failures.withLock { Int($0) } == DialogTries.mostOfShown)
    }

    @Test func wrongTriesAreForgotten() throws {
        let now = Mutex(1)
        let tries = record { now.withLock { $0 } }
        let question = try inquiry().question
        var (first, later) = (PasscodeStanding(), PasscodeStanding())
        (first.triesLeft, later.triesLeft) = (4, 2)
        func note(_ standing: PasscodeStanding) throws -> Bool {
            tries.note(question, standing, at: try #require(tries.take(question)))
        }
        for _ in 1..<DialogTries.most { #expect(try note(later)) }
        // The right secret was given since: the earlier tries count no more.
        #expect(try note(first))
        for _ in 2..<DialogTries.most { #expect(try note(later)) }
        #expect(tries.refusal(of: question) { false } == nil)
        #expect(try !note(later))
        #expect(tries.refusal(of: question) { false }?.status == .authFailed)
        // The custodian forgets nothing either before the right passcode is given.
        now.withLock { $0 += 10 * DialogTries.memory }
        #expect(tries.refusal(of: question) { false }?.status == .authFailed)
        #expect(tries.refusal(of: question) { true } == nil)
        #expect(try note(first))
    }
}
