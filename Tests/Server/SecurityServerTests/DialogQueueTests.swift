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
@Suite struct DialogQueueTests {
    /// Agents that handle dialogs as a test says.
    private final class FakeAgents: ProcessStarting {
        let dialogs = Mutex<[Dialog]>([])
        let started = Mutex(0)
        let ended = Mutex(0)
        /// The agents whose threads run.
        let running = Mutex<Set<pid_t>>([])
        let shown = Mutex(0)
        let mostShown = Mutex(0)
        let act: @Sendable (Dialog, _ pipe: Int32) -> DialogReply?

        init(_ act: @escaping @Sendable (Dialog, _ pipe: Int32) -> DialogReply?) { self.act = act }

        func start(channel: Int32) throws(KeychainError) -> pid_t {
            started.withLock { $0 += 1 }
            // No process has such a number, so nothing is waited for or killed.
            let pid = pid_t(100_000_000 + started.withLock { $0 })
            running.withLock { _ = $0.insert(pid) }
            let number = fcntl(channel, F_DUPFD_CLOEXEC, 0)
            let now = shown.withLock { count -> Int in
                count += 1
                return count
            }
            mostShown.withLock { $0 = max($0, now) }
            _ = Worker.start { [self] in
                let channel = FrameChannel(descriptor: number)
                while true {
                    let next = try? channel.withFrame(limit: AgentWire.maximumFrameBytes) { frame, descriptors in
                        (try Dialog(frame: frame), descriptors.duplicate(at: 0)?.release() ?? -1)
                    }
                    guard let (dialog, pipe) = next else { break }
                    dialogs.withLock { $0.append(dialog) }
                    let reply = act(dialog, pipe)
                    close(pipe)
                    guard let reply else { continue }
                    guard (try? channel.send { reply.encodeFrame(to: &$0) }) != nil else { break }
                }
                shown.withLock { $0 -= 1 }
                running.withLock { _ = $0.remove(pid) }
            }
            return pid
        }

        func end(_ pid: pid_t) {
            while running.withLock({ $0.contains(pid) }) { usleep(1000) }
            ended.withLock { $0 += 1 }
        }

        /// Returns the dialog of this number, counted from 1, once it is shown.
        func dialog(_ number: Int) -> Dialog {
            while true {
                if let dialog = dialogs.withLock({ $0.count >= number ? $0[number - 1] : nil }) { return dialog }
                usleep(1000)
            }
        }
    }

    /// A checker that accepts one passcode and counts the failures.
    private final class FakePasscode: PasscodeChecking {
        let right: String
        let failures = Mutex<UInt32>(0)
        let hasPasscode: Bool

        init(_ right: String, hasPasscode: Bool = true) {
            self.right = right
            self.hasPasscode = hasPasscode
        }

        func standing() throws(KeychainError) -> PasscodeStanding {
            var standing = PasscodeStanding()
            standing.hasPasscode = hasPasscode
            standing.triesLeft = failures.withLock { $0 < 5 ? 5 - $0 : nil }
            return standing
        }

        func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(pipe, &bytes, bytes.count)
            guard String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) != right else { return .right }
            failures.withLock { $0 += 1 }
            return .wrong(try standing())
        }
    }

    private static func type(_ text: String) -> @Sendable (Dialog, Int32) -> DialogReply? {
        { _, pipe in
            _ = write(pipe, text, text.utf8.count)
            return .typed
        }
    }

    private func queue(
        _ agents: FakeAgents, _ passcode: FakePasscode = FakePasscode("right"), session: [String] = []
    ) throws -> DialogQueue {
        DialogQueue(
            starter: agents, checking: passcode, place: DialogPlace.Finder(pinentry: "/usr/bin/env", session: session),
            log: Log(program: "test", path: "/dev/null", mayWrite: { true }), seconds: 5)
    }

    private func inquiry(
        _ proof: PersonProof = .passcode(taking: nil), terminal: String? = "/dev/pts/1",
        about subject: PersonSubject? = nil, from program: String? = nil
    ) throws -> PersonInquiry {
        try PersonInquiry(
            PersonQuestion(
                caller: program.map { Caller.sample($0).identity } ?? WaitingHome.caller().identity,
                keychain: .default,
                subject: subject ?? .item(.readSecret, ItemIdentifier(), .genericPassword, called: "the item"),
                proof: proof,
                reason: "because", terminal: terminal))
    }

    /// Waits on a connection that stays open, so that only an answer ends the wait.
    private func answer(_ inquiry: PersonInquiry) throws -> PersonAnswer? {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        defer { for end in pair { close(end) } }
        return inquiry.wait(orEndOf: pair[0])
    }

    private func word(_ answer: PersonAnswer?) -> String { answer.map { "\($0)".prefix { $0 != "(" } + "" } ?? "nil" }

    private func ask(
        _ act: @escaping @Sendable (Dialog, Int32) -> DialogReply?, _ proof: PersonProof = .passcode(taking: nil),
        _ passcode: FakePasscode = FakePasscode("right"), about subject: PersonSubject? = nil
    ) throws -> (answer: String, agents: FakeAgents) {
        let agents = FakeAgents(act)
        let inquiry = try inquiry(proof, about: subject)
        let queue = try queue(agents, passcode)
        #expect(queue.ask(inquiry))
        let answer = word(try answer(inquiry))
        while agents.ended.withLock({ $0 }) < agents.started.withLock({ $0 }) { usleep(1000) }
        withExtendedLifetime(queue) {}
        return (answer, agents)
    }

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
            let proof = PersonProof.keychainAccess(
                KeychainAccessProof(question, takesPasscode: true, taking: FakePasscode("right")))
            let path = try KeychainPath("login.keychain", in: "/keychains")
            let use = KeychainItemUse(
                keychain: path, item: ItemIdentifier(), epoch: 0, label: "mail", caller: DialogHome.caller(),
                right: .decrypt, question: question)
            for reply in [DialogReply.allowed, .everywhere, .fallback, .shown] {
                #expect(try ask({ _, _ in reply }, proof, about: .keychainItem(use)).answer == "impossible", "\(reply)")
            }
            // A choice without the typed secret gives no access either.
            let (answer, agents) = try ask(
                { dialog, pipe in
                    #expect(dialog.keychain == "login" && dialog.item == "mail" && dialog.purpose == .readSecret)
                    guard dialog.kind == .keychainAccess else { return Self.type("wrong")(dialog, pipe) }
                    return .always
                }, proof, about: .keychainItem(use))
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
            while !stop.isStopped { usleep(1000) }
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
            while !gate.withLock({ $0 }) { usleep(1000) }
            return Self.type("right")(dialog, pipe)
        }
        let queue = try queue(agents)
        let inquiries = try (0..<50).map { _ in try inquiry() }
        for inquiry in inquiries { #expect(queue.ask(inquiry)) }
        _ = agents.dialog(1)
        #expect(queue.waiting == 49)
        // Another terminal shows its own dialog meanwhile.
        let elsewhere = try inquiry(terminal: "/dev/pts/2")
        #expect(queue.ask(elsewhere))
        _ = agents.dialog(2)
        gate.withLock { $0 = true }
        for inquiry in inquiries + [elsewhere] { #expect(word(try answer(inquiry)) == "allowed") }
        #expect(agents.mostShown.withLock { $0 } == 2)
        let lengths = agents.dialogs.withLock { $0 }.filter { $0.terminal == "/dev/pts/1" }.map(\.waiting)
        #expect(lengths.last == 0 && Array(lengths.dropFirst()) == (0..<49).reversed().map { UInt32($0) })
    }

    @Test func atADisplayThereIsOneForAll() throws {
        let gate = Mutex(false)
        let agents = FakeAgents { _, _ in
            while !gate.withLock({ $0 }) { usleep(1000) }
            return .denied
        }
        let queue = try queue(agents, session: ["DISPLAY=:0"])
        let inquiries = try [inquiry(terminal: "/dev/pts/1"), inquiry(terminal: "/dev/pts/2"), inquiry(terminal: nil)]
        for inquiry in inquiries { #expect(queue.ask(inquiry)) }
        _ = agents.dialog(1)
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
        _ = agents.dialog(DialogQueue.mostPlaces)
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
        _ = agents.dialog(1)
        // The connection of this request has ended.
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        close(pair[1])
        #expect(second.wait(orEndOf: pair[0]) == nil)
        #expect(queue.waiting == 1)
        #expect(first.wait(orEndOf: pair[0]) == nil)
        close(pair[0])
        // The next question is shown alone.
        #expect(agents.dialog(2).waiting == 0)
        #expect(agents.ended.withLock { $0 } == 1)
        queue.close()
        #expect(word(try answer(third)) == "locked")
    }
}
