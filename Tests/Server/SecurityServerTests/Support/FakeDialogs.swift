import AgentProtocol
import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity
@testable import ChatelaineIPC
@testable import SecurityServer

/// Agents that handle dialogs as a test says.
final class FakeAgents: ProcessStarting {
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
        try? until { running.withLock { !$0.contains(pid) } }
        ended.withLock { $0 += 1 }
    }

    /// Returns the dialog of this number, counted from 1, once it is shown.
    func dialog(_ number: Int) throws -> Dialog {
        try until("dialog \(number) is shown") { dialogs.withLock { $0.count >= number } }
        return dialogs.withLock { $0[number - 1] }
    }
}

/// A checker that accepts one passcode and counts the failures.
final class FakePasscode: PasscodeChecking {
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

/// Tests of dialogs with a thread of the test in the agent's place.
protocol FakeDialogs {}

extension FakeDialogs {
    static func type(_ text: String) -> @Sendable (Dialog, Int32) -> DialogReply? {
        { _, pipe in
            _ = write(pipe, text, text.utf8.count)
            return .typed
        }
    }

    func queue(
        _ agents: FakeAgents, _ passcode: FakePasscode = FakePasscode("right"), session: [String] = []
    ) throws -> DialogQueue {
        DialogQueue(
            starter: agents, checking: passcode, place: DialogPlace.Finder(pinentry: "/usr/bin/env", session: session),
            log: Log(program: "test", path: "/dev/null", mayWrite: { true }), seconds: 5)
    }

    func inquiry(
        _ proof: PersonProof = .passcode(taking: nil), terminal: String? = "/dev/pts/1",
        about subject: (any PersonSubject)? = nil, from program: String? = nil
    ) throws -> PersonInquiry {
        try PersonInquiry(
            PersonQuestion(
                caller: program.map { Caller.sample($0).identity } ?? WaitingHome.caller().identity,
                keychain: .default,
                subject: subject ?? ItemUse(.readSecret, of: ItemIdentifier(), called: "the item"),
                proof: proof,
                reason: "because", terminal: terminal))
    }

    /// Waits on a connection that stays open, so that only an answer ends the wait.
    func answer(_ inquiry: PersonInquiry) throws -> PersonAnswer? {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        defer { for end in pair { close(end) } }
        return inquiry.wait(orEndOf: pair[0])
    }

    func word(_ answer: PersonAnswer?) -> String { answer.map { "\($0)".prefix { $0 != "(" } + "" } ?? "nil" }

    func ask(
        _ act: @escaping @Sendable (Dialog, Int32) -> DialogReply?, _ proof: PersonProof = .passcode(taking: nil),
        _ passcode: FakePasscode = FakePasscode("right"), about subject: (any PersonSubject)? = nil
    ) throws -> (answer: String, agents: FakeAgents) {
        let agents = FakeAgents(act)
        let inquiry = try inquiry(proof, about: subject)
        let queue = try queue(agents, passcode)
        #expect(queue.ask(inquiry))
        let answer = word(try answer(inquiry))
        try until { agents.ended.withLock { $0 } >= agents.started.withLock { $0 } }
        withExtendedLifetime(queue) {}
        return (answer, agents)
    }
}
