import AgentProtocol
import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ItemStore
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity
@testable import ChatelaineIPC
@testable import SecurityServer

/// Dialogs are shown one after the other, with a thread of the test in the agent's place.
@Suite struct DialogQueueTests: FakeDialogs {
    @Test func answers() throws {
        #expect(try ask(Self.type("right")).answer == "allowed")
        #expect(try ask { _, _ in .denied }.answer == "denied")
        #expect(try ask { _, _ in .cancelled }.answer == "cancelled")
        #expect(try ask { _, _ in .timedOut }.answer == "timedOut")
        for reply in [DialogReply.nowhere, .noPinentry, .unsafePinentry, .failed, .noPasscode] {
            #expect(try ask { _, _ in reply }.answer == "impossible")
        }
        #expect(PersonAnswer.timedOut.refusal?.status == .userCanceled)
        #expect(PersonAnswer.wrong.refusal?.status == .authFailed)
    }

    @Test func aButtonIsNoProofOfPresence() throws {
        #expect(try ask({ _, _ in .allowed }, .consent).answer == "allowed")
        #expect(try ask { _, _ in .allowed }.answer == "impossible")
        #expect(try ask({ _, _ in .allowed }, .password(isNew: true, taking: FakePasscode("x"))).answer == "impossible")
    }

    /// Only the typed secret gives access to an item of a file keychain. An agent's claim does not.
    @Test func noWordOfAnAgentsGivesAnItem() throws {
        for doubts in [[], ACLCaller.Doubts.traced] {
            let question = try DialogHome.question(DialogHome.caller(doubts: doubts))
            let path = try KeychainPath("login.keychain", in: "/keychains")
            let proof = PersonProof.keychainAccess(
                KeychainAccessProof(question, about: path, takesPasscode: true, taking: FakePasscode("right")))
            let use = KeychainItemUse(
                keychain: path, item: ItemIdentifier(), epoch: 0, label: "mail", caller: DialogHome.caller(),
                right: .decrypt, question: question)
            for reply in [DialogReply.allowed, .everywhere, .fallback, .shown] {
                #expect(try ask({ _, _ in reply }, proof, about: use).answer == "impossible", "\(reply)")
            }
            // A choice without the typed secret gives no access either.
            let (answer, agents) = try ask(
                { dialog, pipe in
                    #expect(dialog.keychain == "login" && dialog.item == "mail" && dialog.purpose == .readSecret)
                    guard dialog.kind == .keychainAccess else { return Self.type("wrong")(dialog, pipe) }
                    return .always
                }, proof, about: use)
            #expect(answer == "wrong")
            let chosen = agents.dialogs.withLock { $0 }.compactMap(\.access?.chosen)
            #expect(chosen == [DialogGrant](repeating: doubts.isEmpty ? .always : .once, count: 3))
        }
    }

    @Test func threeWrongOnesAreEnough() throws {
        let (answer, agents) = try ask(Self.type("wrong"))
        #expect(answer == "wrong")
        let dialogs = agents.dialogs.withLock { $0 }
        #expect(dialogs.map(\.problem) == [nil, .wrong, .wrong])
        #expect(dialogs.map(\.triesLeft) == [nil, 4, 3])
        #expect(agents.started.withLock { $0 } == 1)
    }

    @Test func whatIsAsked() throws {
        let dialog = try ask(Self.type("right")).agents.dialog(1)
        #expect(dialog.kind == .passcode && dialog.purpose == .readSecret && dialog.program == "/usr/bin/true")
        #expect(dialog.assurance == .file && dialog.item == "the item" && dialog.reason == "because")
        #expect(dialog.terminal == "/dev/pts/1" && dialog.waiting == 0 && dialog.hasPasscode)
    }

    @Test func withoutAPasscodeNobodyProvesPresence() throws {
        let (answer, agents) = try ask(
            Self.type("right"), .passcode(taking: nil), FakePasscode("right", hasPasscode: false))
        #expect(answer == "impossible" && agents.started.withLock { $0 } == 0)
    }

    /// A matcher with the reports of a test.
    ///
    /// Each report follows when the one before is asked for, the last one when it is withdrawn.
    private final class FakeFingers: FingerMatching {
        let reports: Mutex<[Result<MatchReport, KeychainError>]>
        let asked = Mutex(0)

        init(_ reports: Result<MatchReport, KeychainError>...) { self.reports = Mutex(reports) }

        func match(until stop: MatchCancellation) throws(KeychainError) -> MatchReport {
            asked.withLock { $0 += 1 }
            if let report = reports.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return try report.get() }
            try? until { stop.isStopped }
            return MatchReport(.withdrawn)
        }
    }

    /// Asks with dialogs that stay until they are withdrawn.
    private func ask(fingers: FakeFingers, orPasscode: Bool) throws -> (answer: String, dialogs: [Dialog]) {
        let (answer, agents) = try ask(
            { dialog, _ in dialog.hasReader ? .shown : .failed },
            orPasscode ? .passcode(taking: nil, orFinger: fingers) : .finger(fingers))
        return (answer, agents.dialogs.withLock { $0 })
    }

    @Test func aFingerAnswers() throws {
        let matched = Result<MatchReport, KeychainError>.success(MatchReport(.matched))
        for orPasscode in [false, true] {
            let (answer, dialogs) = try ask(fingers: FakeFingers(matched), orPasscode: orPasscode)
            #expect(answer == "allowed" && dialogs.map(\.kind) == [orPasscode ? .passcode : .touch])
        }
        // A wrong finger leaves the passcode's dialog open, but a finger's own dialog is shown anew.
        func wrong(_ left: UInt32) -> Result<MatchReport, KeychainError> {
            .success(MatchReport(.notMatched, triesLeft: left))
        }
        #expect(try ask(fingers: FakeFingers(wrong(4), matched), orPasscode: true).dialogs.count == 1)
        let (answer, dialogs) = try ask(fingers: FakeFingers(wrong(4), wrong(3), matched), orPasscode: false)
        #expect(answer == "allowed" && dialogs.map(\.problem) == [nil, .wrong, .wrong])
        #expect(dialogs.map(\.triesLeft) == [nil, 4, 3])
        #expect(try ask(fingers: FakeFingers(wrong(1), wrong(0)), orPasscode: false).answer == "wrong")
        for (outcome, expected) in [(MatchOutcome.lockedOut, "wrong"), (.unavailable, "impossible")] {
            let fingers = FakeFingers(.success(MatchReport(outcome)))
            #expect(try ask(fingers: fingers, orPasscode: false).answer == expected)
        }
        let failed = FakeFingers(.failure(KeychainError(.notAvailable, "no")))
        #expect(try ask(fingers: failed, orPasscode: false).answer == "impossible")
    }

    /// If the dialog cannot be shown, nobody is to touch the reader.
    @Test func nobodyTouchesWhatNobodySees() throws {
        for orPasscode in [false, true] {
            let fingers = FakeFingers(.success(MatchReport(.matched)))
            let proof: PersonProof = orPasscode ? .passcode(taking: nil, orFinger: fingers) : .finger(fingers)
            #expect(try ask({ _, _ in .noPinentry }, proof).answer == "impossible")
            #expect(fingers.asked.withLock { $0 } == 0)
            #expect(try ask({ _, _ in .cancelled }, proof).answer == "cancelled")
        }
    }

    @Test func whereNobodyCanBeAsked() throws {
        let queue = try queue(FakeAgents { _, _ in .denied })
        #expect(try !queue.ask(inquiry(terminal: nil)))
    }

    /// 50 requests wait for one prompt, and each gets its own.
    @Test func oneDialogAtATime() throws {
        let gate = Mutex(false)
        let agents = FakeAgents { dialog, pipe in
            try? until { gate.withLock { $0 } }
            return Self.type("right")(dialog, pipe)
        }
        let queue = try queue(agents)
        let inquiries = try (0..<50).map { _ in try inquiry() }
        for inquiry in inquiries { #expect(queue.ask(inquiry)) }
        _ = try agents.dialog(1)
        #expect(queue.waiting == 49)
        // Another terminal shows its own dialog meanwhile.
        let elsewhere = try inquiry(terminal: "/dev/pts/2")
        #expect(queue.ask(elsewhere))
        _ = try agents.dialog(2)
        gate.withLock { $0 = true }
        for inquiry in inquiries + [elsewhere] { #expect(word(try answer(inquiry)) == "allowed") }
        #expect(agents.mostShown.withLock { $0 } == 2)
        let lengths = agents.dialogs.withLock { $0 }.filter { $0.terminal == "/dev/pts/1" }.map(\.waiting)
        #expect(lengths.last == 0 && Array(lengths.dropFirst()) == (0..<49).reversed().map { UInt32($0) })
    }

    @Test func atADisplayThereIsOneForAll() throws {
        let gate = Mutex(false)
        let agents = FakeAgents { _, _ in
            try? until { gate.withLock { $0 } }
            return .denied
        }
        let queue = try queue(agents, session: ["DISPLAY=:0"])
        let inquiries = try [inquiry(terminal: "/dev/pts/1"), inquiry(terminal: "/dev/pts/2"), inquiry(terminal: nil)]
        for inquiry in inquiries { #expect(queue.ask(inquiry)) }
        _ = try agents.dialog(1)
        gate.withLock { $0 = true }
        for inquiry in inquiries { #expect(word(try answer(inquiry)) == "denied") }
        #expect(agents.mostShown.withLock { $0 } == 1)
    }

    @Test func placesAndLinesAreBounded() throws {
        let agents = FakeAgents { _, _ in nil }
        let queue = try queue(agents)
        var inquiries: [PersonInquiry] = []
        for number in 0..<DialogQueue.mostPlaces {
            let program = "/opt/program\(number / DialogQueue.mostPlacesOfProgram)"
            inquiries.append(try inquiry(terminal: "/dev/pts/\(number)", from: program))
            #expect(queue.ask(inquiries[number]))
        }
        #expect(try !queue.ask(inquiry(terminal: "/dev/pts/1000")))
        _ = try agents.dialog(DialogQueue.mostPlaces)
        for _ in 0..<DialogQueue.mostWaiting {
            inquiries.append(try inquiry(terminal: "/dev/pts/0"))
            #expect(queue.ask(inquiries[inquiries.count - 1]))
        }
        #expect(try !queue.ask(inquiry(terminal: "/dev/pts/0")))
        queue.close()
        for inquiry in inquiries { #expect(word(try answer(inquiry)) == "locked") }
    }

    /// However many terminals a program has, others find places.
    @Test func aProgramLeavesPlacesToOthers() throws {
        let queue = try queue(FakeAgents { _, _ in nil })
        var inquiries: [PersonInquiry] = []
        for number in 0..<DialogQueue.mostPlacesOfProgram {
            inquiries.append(try inquiry(terminal: "/dev/pts/\(number)"))
            #expect(queue.ask(inquiries[number]))
        }
        #expect(try !queue.ask(inquiry(terminal: "/dev/pts/1000")))
        // Where it has a question already, one more may wait.
        for (terminal, program) in [("/dev/pts/0", nil), ("/dev/pts/1001", "/opt/other")] {
            let inquiry = try inquiry(terminal: terminal, from: program)
            #expect(queue.ask(inquiry))
            inquiries.append(inquiry)
        }
        queue.close()
        for inquiry in inquiries { #expect(word(try answer(inquiry)) == "locked") }
    }

    @Test func aQuestionThatIsTakenBackTakesItsDialogWithIt() throws {
        let agents = FakeAgents { _, _ in nil }
        let queue = try queue(agents)
        let (first, second, third) = (try inquiry(), try inquiry(), try inquiry())
        for inquiry in [first, second, third] { #expect(queue.ask(inquiry)) }
        _ = try agents.dialog(1)
        // The connection of this request has ended.
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        close(pair[1])
        #expect(second.wait(orEndOf: pair[0]) == nil)
        #expect(queue.waiting == 1)
        #expect(first.wait(orEndOf: pair[0]) == nil)
        close(pair[0])
        // The next question is shown alone.
        #expect(try agents.dialog(2).waiting == 0)
        #expect(agents.ended.withLock { $0 } == 1)
        queue.close()
        #expect(word(try answer(third)) == "locked")
    }
}
