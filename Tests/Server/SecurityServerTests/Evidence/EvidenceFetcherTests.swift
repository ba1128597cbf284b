import ChatelaineIPC
import ChatelaineSystem
import FetchProtocol
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Stands in for fetchd and answers when the test says so.
private final class FakeServers: ServerAsking {
    let asked = Counter()
    private let mayAnswer = Flag()
    private let requests = Mutex<[FetchRequest]>([])
    private let running = Atomic(0)
    private let most = Atomic(0)
    private let silent: String?
    private let reply: @Sendable (FetchRequest) -> FetchReply?

    /// - Parameter silent: The server whose answer waits, nil for all of them where they do not answer at once.
    init(
        answersAtOnce: Bool = true, silent: String? = nil, _ reply: @escaping @Sendable (FetchRequest) -> FetchReply?
    ) {
        (self.reply, self.silent) = (reply, silent)
        if answersAtOnce { mayAnswer.raise() }
    }

    var all: [FetchRequest] { requests.withLock { $0 } }
    var mostAtOnce: Int { most.load(ordering: .acquiring) }

    func answer() { mayAnswer.raise() }

    func ask(_ request: FetchRequest) -> FetchReply? {
        requests.withLock { $0.append(request) }
        let count = running.add(1, ordering: .acquiringAndReleasing).newValue
        most.max(count, ordering: .acquiringAndReleasing)
        defer { running.subtract(1, ordering: .acquiringAndReleasing) }
        asked.next()
        if silent == nil || silent == request.url { mayAnswer.awaitRaise() }
        return reply(request)
    }
}

/// securityd asks each server once, a limited number at a time, and keeps the answers.
struct EvidenceFetcherTests {
    private static let later: Int64 = 120_000
    private let clock = FakeClock(1_000_000)

    private func fetcher(_ servers: FakeServers) -> EvidenceFetcher {
        EvidenceFetcher(servers, log: Log(program: "test"), clock: { [clock] in clock.now })
    }

    private func orders(
        _ numbers: some Sequence<Int>, anew: Bool = false, foremost: Bool = false
    ) -> [EvidenceOrder] {
        numbers.map {
            EvidenceOrder(source: EvidenceSource(.list, at: "http://a/\($0)"), isAnew: anew, isForemost: foremost)
        }
    }

    private func contents(_ outcomes: [EvidenceOutcome]) -> [[UInt8]?] {
        outcomes.map { if case .answer(let answer) = $0 { answer.content } else { nil } }
    }

    private func fetch(
        _ fetcher: EvidenceFetcher, _ orders: [EvidenceOrder], for program: UInt64 = 1
    ) -> [[UInt8]?] {
        contents(fetcher.fetch(orders, at: [80], for: .test(program), until: clock.now + Self.later))
    }

    @Test func whatIsAskedIsWhatTheSourceSays() {
        let servers = FakeServers { .content([UInt8]($0.url.utf8)) }
        let sources = [
            EvidenceSource(.response, at: "http://a/o", request: [1, 2]), EvidenceSource(.issuer, at: "http://a/i"),
        ]
        let answers = fetcher(servers).fetch(
            sources.map { EvidenceOrder(source: $0) }, at: [80, 8080], for: .test(), until: clock.now + Self.later)
        #expect(contents(answers) == [[UInt8]("http://a/o".utf8), [UInt8]("http://a/i".utf8)])
        let asked = servers.all.sorted { $0.url > $1.url }
        #expect(asked.map(\.body) == [[1, 2], nil])
        #expect(asked.allSatisfy { $0.ports == [80, 8080] && $0.seconds == FetchLimits.maximumSeconds })
    }

    @Test func whatCannotBeAskedIsNothing() {
        let servers = FakeServers { _ in .content([1]) }
        let sources = ["https://a/", "ldap://a/", "file:///etc/hosts", ""].map { EvidenceSource(.list, at: $0) }
        let answers = fetcher(servers).fetch(
            sources.map { EvidenceOrder(source: $0) }, at: [80], for: .test(), until: clock.now + Self.later)
        #expect(answers.allSatisfy { $0 == .nothing } && servers.asked.value == 0)
    }

    @Test func answersAndFailuresAreRemembered() {
        let servers = FakeServers { $0.url == "http://a/1" ? .content([1]) : .failure(.timedOut) }
        let fetcher = fetcher(servers)
        for _ in 0..<3 { #expect(fetch(fetcher, orders(1...2)) == [[1], nil]) }
        #expect(servers.asked.value == 2)
        clock.pass(milliseconds: EvidenceCache.failureMilliseconds)
        #expect(fetch(fetcher, orders(1...2)) == [[1], nil])
        #expect(servers.asked.value == 3)
        // A new answer is asked for once a minute at most.
        for _ in 0..<3 { #expect(fetch(fetcher, orders([1], anew: true)) == [[1]]) }
        #expect(servers.asked.value == 4)
        // An answer without content is a failure.
        let silent = FakeServers { _ in .content([]) }
        let others = self.fetcher(silent)
        for _ in 0..<2 { #expect(fetch(others, orders([1])) == [nil]) }
        #expect(silent.asked.value == 1)
    }

    /// A lack on this machine says nothing about the server, and ends with the evaluation that met it.
    @Test func whatThisMachineLacksIsNotRemembered() {
        let count = Atomic(0)
        let servers = FakeServers { _ in count.add(1, ordering: .relaxed).newValue == 1 ? nil : .content([7]) }
        let fetcher = fetcher(servers)
        #expect(fetcher.fetch(orders([1]), at: [80], for: .test(), until: clock.now + Self.later) == [.nothing])
        #expect(fetch(fetcher, orders([1])) == [[7]])
        #expect(servers.asked.value == 2)
    }

    /// The hour of an answer goes on while the machine sleeps.
    @Test func theClockIsThatOfTheBoot() {
        let fetcher = EvidenceFetcher(FakeServers { _ in nil }, log: Log(program: "test"))
        let before = MonotonicClock.bootMilliseconds
        #expect(fetcher.now >= before && fetcher.now <= MonotonicClock.bootMilliseconds)
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        #expect(Int64(now.tv_sec) * 1000 <= MonotonicClock.bootMilliseconds)
    }

    /// Two evaluations that need the same evidence wait for one answer.
    @Test func aSourceIsAskedOnceForAll() throws {
        let servers = FakeServers(answersAtOnce: false) { _ in .content([7]) }
        let fetcher = fetcher(servers)
        let (begun, ended) = (Counter(), Counter())
        for program in [1, 2, 1] as [UInt64] {
            #expect(
                Worker.start {
                    begun.next()
                    if fetch(fetcher, orders([1]), for: program) == [[7]] { ended.next() }
                })
        }
        try begun.wait(for: 3)
        try servers.asked.wait(for: 1)
        servers.answer()
        try ended.wait(for: 3)
        #expect(servers.asked.value == 1)
    }

    @Test func noProgramTakesAllPlaces() throws {
        let servers = FakeServers(answersAtOnce: false) { _ in .content([7]) }
        let fetcher = fetcher(servers)
        let ended = Counter()
        for start in [0, 10] {
            #expect(
                Worker.start {
                    let answers = fetch(fetcher, orders(start..<start + 10), for: 1)
                    if answers.allSatisfy({ $0 == [7] }) { ended.next() }
                })
        }
        try servers.asked.wait(for: EvidenceFetcher.mostOfProgram - 1)
        #expect(Worker.start { if fetch(fetcher, orders([99]), for: 2) == [[7]] { ended.next() } })
        try servers.asked.wait(for: EvidenceFetcher.mostOfProgram)
        #expect(servers.all.last?.url == "http://a/99")
        // The last place of the greedy program is for servers that no stranger has chosen.
        let foremost = orders([50], foremost: true)
        #expect(Worker.start { if fetch(fetcher, foremost, for: 1) == [[7]] { ended.next() } })
        try servers.asked.wait(for: EvidenceFetcher.mostOfProgram + 1)
        #expect(servers.all.last?.url == "http://a/50")
        servers.answer()
        try ended.wait(for: 4)
        #expect(servers.asked.value == 22 && servers.mostAtOnce <= ProcessStarter.mostFetches)
        // Enough programs ask for more than there are places.
        let many = FakeServers { _ in .content([7]) }
        let busy = self.fetcher(many)
        let done = Counter()
        for program in 0..<6 {
            #expect(
                Worker.start {
                    _ = fetch(busy, orders(program * 10..<program * 10 + 5), for: UInt64(program))
                    done.next()
                })
        }
        try done.wait(for: 6)
        #expect(many.asked.value == 30 && many.mostAtOnce <= ProcessStarter.mostFetches)
    }

    /// An evaluation without time left gets the answers so far. Later answers are kept for the next one.
    @Test func aDeadlineEndsTheWaiting() throws {
        let servers = FakeServers(answersAtOnce: false, silent: "http://a/1") { _ in .content([7]) }
        let fetcher = fetcher(servers)
        let ended = Counter()
        let deadline = clock.now + Self.later
        #expect(
            Worker.start {
                if fetcher.fetch(orders([1]), at: [80], for: .test(), until: deadline) == [.notYet] { ended.next() }
            })
        try servers.asked.wait(for: 1)
        clock.pass(milliseconds: Self.later)
        // An answer to another evaluation wakes this one, which then reads the clock.
        #expect(fetch(fetcher, orders([2]), for: 2) == [[7]])
        try ended.wait(for: 1)
        servers.answer()
        #expect(fetch(fetcher, orders([1])) == [[7]])
        #expect(servers.asked.value == 2)
    }

    /// If nothing happens, the evaluation reads the clock when its time is over.
    @Test func theTimeEndsByItself() {
        let servers = FakeServers(answersAtOnce: false) { _ in .content([7]) }
        let readings = Atomic(0)
        // The clock is read for the cache and for the remaining time, and then it is late.
        let fetcher = EvidenceFetcher(
            servers, log: Log(program: "test"),
            clock: {
                readings.add(1, ordering: .relaxed).newValue > 2 ? 1_000_000 : 0
            })
        #expect(fetcher.fetch(orders([1]), at: [80], for: .test(), until: 1) == [.notYet])
        servers.answer()
    }

    /// Another connection may get the place of one that waits for a server.
    @Test func aPlaceThatIsGivenAwayIsNotWaitedFor() throws {
        let servers = FakeServers(answersAtOnce: false) { _ in .content([7]) }
        let fetcher = fetcher(servers)
        let (slot, ended) = (ConnectionSlot.test(), Counter())
        slot.work()
        #expect(
            Worker.start {
                let outcomes = fetcher.fetch(orders([1]), at: [80], for: slot, until: clock.now + Self.later)
                if outcomes == [.notYet] { ended.next() }
            })
        try servers.asked.wait(for: 1)
        try until { slot.idle != nil }
        slot.end()
        try ended.wait(for: 1)
        #expect(slot.idle == nil)
        #expect(fetcher.fetch(orders([2]), at: [80], for: slot, until: clock.now + Self.later) == [.notYet])
        servers.answer()
    }
}
