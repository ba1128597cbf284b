import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Stands in for securityd-trust: each trustd is a thread, which does what a test wants.
private final class FakeStarter: ProcessStarting {
    private let life: @Sendable (FrameChannel) -> Void
    private let running = Atomic(0)
    private let most = Atomic(0)
    let started = Counter()
    let ended = Counter()

    init(_ life: @escaping @Sendable (FrameChannel) -> Void) { self.life = life }

    var mostAtOnce: Int { most.load(ordering: .acquiring) }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        let number = fcntl(channel, F_DUPFD_CLOEXEC, 3)
        let count = running.add(1, ordering: .acquiringAndReleasing).newValue
        most.max(count, ordering: .acquiringAndReleasing)
        let life = life
        _ = Worker.start { life(FrameChannel(descriptor: number, side: .server)) }
        return pid_t(started.next())
    }

    func end(_ pid: pid_t) {
        running.subtract(1, ordering: .acquiringAndReleasing)
        _ = ended.next()
    }
}

/// securityd's side of the processes that look at signatures.
struct TrustWorkersTests {
    private let question: SignatureQuestion
    private let claims: SignedClaims

    init() throws {
        let team = try #require(TeamIdentifier("TEAM123456"))
        let digest = try #require(Bytes32([UInt8](repeating: 1, count: 32)))
        let anchor = TeamAnchor(owner: TeamOwner(team: team, anchorKey: digest), certificate: [])
        question = SignatureQuestion(signature: [1], digest: ExecutableDigest(digest), anchor: anchor, now: 50)
        claims = SignedClaims(
            owner: anchor.owner, identifier: "TEAM123456.one", keychainGroups: ["TEAM123456.a"],
            applicationGroups: ["b"], entitlements: [], validFrom: 10, validUntil: 90, certificates: [])
    }

    private static func answering(_ reply: TrustReply, after milliseconds: UInt32 = 0) -> FakeStarter {
        FakeStarter { channel in
            _ = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            usleep(milliseconds * 1000)
            try? channel.send { reply.encode(to: &$0) }
        }
    }

    private func verdict(_ reply: TrustReply) throws -> SignatureVerdict {
        try TrustWorkers(Self.answering(reply)).verify(question)
    }

    @Test func whatIsAnsweredIsHandedOn() throws {
        let starter = Self.answering(.verdict(.claims(claims)))
        #expect(try TrustWorkers(starter).verify(question) == .claims(claims))
        #expect(starter.started.value == 1 && starter.ended.value == 1)
        let defect = SignatureVerdict.defect(.expired, detail: "it was")
        #expect(try verdict(.verdict(defect)) == defect)
        #expect(throws: KeychainError(.param, "")) {
            try TrustWorkers(Self.answering(.unsuitable("no"))).examine(AnchorQuestion(file: [], team: nil, now: 0))
        }
    }

    /// One that was taken over says what it likes, and is believed about what it was asked.
    @Test func anAnswerIsAboutTheQuestion() throws {
        func isRefused(_ change: (inout SignedClaims) -> Void) throws -> Bool {
            var other = claims
            change(&other)
            let reply = TrustReply.verdict(.claims(other))
            return (try? verdict(reply)) == nil
        }
        #expect(try !isRefused { _ in })
        let other = try #require(TeamIdentifier("OTHER12345"))
        #expect(try isRefused { $0.owner = TeamOwner(team: other, anchorKey: $0.owner.anchorKey) })
        #expect(try isRefused { $0.identifier = "OTHER12345.one" })
        #expect(try isRefused { $0.keychainGroups.append("OTHER12345.one") })
        #expect(try isRefused { $0.validUntil = 49 })
        #expect(try isRefused { $0.validFrom = 51 })
        #expect(throws: KeychainError.self) { try verdict(.verdict(.needsAnchor(other))) }
        #expect(throws: KeychainError.self) { try verdict(.unsuitable("no")) }
        var without = question
        without.anchor = nil
        let workers = TrustWorkers(Self.answering(.verdict(.needsAnchor(other))))
        #expect(try workers.verify(without) == .needsAnchor(other))
        #expect(throws: KeychainError.self) {
            try TrustWorkers(Self.answering(.verdict(.claims(claims)))).verify(without)
        }
    }

    @Test func oneThatSaysNothingIsEnded() throws {
        for life: @Sendable (FrameChannel) -> Void in [
            { _ in },
            { channel in
                var bytes: [UInt8] = [200, 0, 0, 0, 1]
                send(channel.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
                sleep(3)
            },
            { channel in
                var bytes: [UInt8] = [1, 0, 0, 0, 0xFF]
                send(channel.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
            },
            { _ in sleep(3) },
        ] {
            let starter = FakeStarter(life)
            let verdict = try TrustWorkers(starter, seconds: 1).verify(question)
            guard case .defect(.unreadable, _) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(starter.ended.value == 1)
        }
    }

    @Test func whatIsTooLargeStartsNone() throws {
        let starter = Self.answering(.verdict(.claims(claims)))
        var large = question
        large.signature = [UInt8](repeating: 0, count: SignatureLimits.maximumFileBytes + 1)
        guard case .defect(.tooLarge, _) = try TrustWorkers(starter).verify(large) else {
            Issue.record("it was looked at")
            return
        }
        #expect(starter.started.value == 0)
    }

    @Test func fourAreAtWorkAtTheMost() async throws {
        let starter = Self.answering(.verdict(.claims(claims)), after: 50)
        let workers = TrustWorkers(starter)
        let question = question
        // Threads of their own: each waits.
        let done = Counter()
        for _ in 0..<10 {
            _ = Worker.start {
                if case .claims? = try? workers.verify(question) { _ = done.next() }
            }
        }
        while done.value < 10 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(starter.mostAtOnce <= ProcessStarter.mostVerifiers && starter.ended.value == 10)
    }

    @Test func whoWaitsTooLongIsToldSo() async throws {
        let isOver = Flag()
        let starter = FakeStarter { _ in while !isOver.isRaised { usleep(1000) } }
        let workers = TrustWorkers(starter, seconds: 600, patience: 10)
        let question = question
        let done = Counter()
        for _ in 0..<ProcessStarter.mostVerifiers {
            _ = Worker.start {
                _ = try? workers.verify(question)
                _ = done.next()
            }
        }
        while starter.started.value < ProcessStarter.mostVerifiers { try await Task.sleep(for: .milliseconds(1)) }
        #expect(throws: KeychainError(.notAvailable, "")) { try workers.verify(question) }
        isOver.raise()
        while done.value < ProcessStarter.mostVerifiers { try await Task.sleep(for: .milliseconds(1)) }
    }

    // MARK: In the helper

    private final class Calls: Sendable {
        let spawned = Counter()
        let ended = Mutex<[pid_t]>([])

        var calls: ProcessCalls {
            var calls = ProcessCalls.system
            calls.spawn = { [spawned] _, _, _, _, _ throws(Errno) in Int32(1000 + spawned.next()) }
            calls.kill = { [self] pid, signal throws(Errno) in
                if signal == SIGKILL { ended.withLock { $0.append(pid) } }
            }
            calls.waitpid = { pid, _ throws(Errno) in pid }
            return calls
        }
    }

    @Test func theHelperEndsWhatItHasStartedAndNothingElse() {
        let calls = Calls()
        var workers = ProcessStarter.Processes(.trust(program: "/trustd"), calls: calls.calls)
        let pids = (0...ProcessStarter.mostVerifiers).map { _ in workers.carryOut(ProcessStarter.start, channel: 9) }
        #expect(pids == [1001, 1002, 1003, 1004, 1005])
        #expect(workers.carryOut(ProcessStarter.start, channel: 9) == -EAGAIN)
        for pid in [1, 999, 1006, -1, 1002, 1002] as [pid_t] { #expect(workers.carryOut(pid, channel: -1) == 0) }
        #expect(calls.ended.withLock { $0 } == [1002])
        #expect(workers.carryOut(ProcessStarter.start, channel: 9) == 1006)
    }
}
