import ChatelaineModel
import Synchronization
import SystemCalls
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

    @Test func wrongTriesAreForgotten() throws {
        let now = Mutex(1)
        let tries = DialogTries(log: Log(program: "test", path: "/dev/null", mayWrite: { true })) {
            now.withLock { $0 }
        }
        let question = try inquiry().question
        var (first, later) = (PasscodeStanding(), PasscodeStanding())
        (first.triesLeft, later.triesLeft) = (4, 2)
        for _ in 1..<DialogTries.most { #expect(tries.note(question, later)) }
        // The right secret was given since: the earlier tries count no more.
        #expect(tries.note(question, first))
        for _ in 2..<DialogTries.most { #expect(tries.note(question, later)) }
        #expect(tries.refusal(of: question) { false } == nil)
        #expect(!tries.note(question, later))
        #expect(tries.refusal(of: question) { false }?.status == .authFailed)
        now.withLock { $0 += DialogTries.memory }
        #expect(tries.refusal(of: question) { false } == nil)
        #expect(tries.note(question, later))
    }
}
