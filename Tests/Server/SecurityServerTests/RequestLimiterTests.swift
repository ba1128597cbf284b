import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// The number of simultaneous requests of a process is limited.
///
/// The threads of this test hold their turns until it lets them go.
@Suite struct RequestLimiterTests {
    private let requests = RequestLimiter()

    /// Holds a turn until it is opened.
    // `@unchecked Sendable`: touched under `monitor`.
    private final class Gate: @unchecked Sendable {
        private let monitor = Monitor()
        private var inside = 0
        private var through = 0
        private var refused = 0
        private var isOpen = false

        func pass() {
            monitor.locked { inside += 1 }
            monitor.broadcast()
            monitor.locked {
                while !isOpen { monitor.wait() }
                inside -= 1
                through += 1
            }
            monitor.broadcast()
        }

        func refuse() {
            monitor.locked { refused += 1 }
            monitor.broadcast()
        }

        func open() {
            monitor.locked { isOpen = true }
            monitor.broadcast()
        }

        func awaitInside(_ count: Int) { monitor.locked { while inside < count { monitor.wait() } } }
        func awaitThrough(_ count: Int) { monitor.locked { while through < count { monitor.wait() } } }
        func awaitRefused(_ count: Int) { monitor.locked { while refused < count { monitor.wait() } } }
        var countInside: Int { monitor.locked { inside } }
    }

    private func slot() -> ConnectionSlot { ConnectionSlot(socket: -1, pid: 1, uid: 1, requests: requests) }

    private func start(_ slot: ConnectionSlot, _ gate: Gate) {
        let requests = requests
        let isStarted = Worker.start {
            do { try requests.take(for: slot) { gate.pass() } } catch { gate.refuse() }
        }
        #expect(isStarted)
    }

    /// Takes every available turn, and returns their number.
    private func takeAll(_ gate: Gate) throws -> Int {
        var count = 0
        while count < 4096 {
            let waiting = slot()
            waiting.work()
            start(waiting, gate)
            // A slot that has to wait is idle. One that has its turn is inside.
            try until(every: 50) { gate.countInside > count || waiting.idle != nil }
            if waiting.idle != nil { return count }
            count += 1
        }
        return count
    }

    @Test func moreThanTheLimitWait() throws {
        let gate = Gate()
        let count = try takeAll(gate)
        #expect(count >= 2, "one large secret does not hold up everything else of its process")
        #expect(gate.countInside == count)
        gate.open()
        gate.awaitThrough(count + 1)
    }

    @Test func whosePlaceIsGivenAwayStopsWaiting() throws {
        let gate = Gate()
        let count = try takeAll(gate)
        let late = slot()
        late.work()
        start(late, gate)
        try until(every: 50) { late.idle != nil }
        late.end()
        gate.awaitRefused(1)
        #expect(gate.countInside == count, "nobody got a turn by that")
        gate.open()
        gate.awaitThrough(count + 1)
    }

    @Test func aTurnComesBackWhateverHappensInIt() throws {
        struct Failure: Error {}
        for _ in 0..<10_000 {
            #expect(throws: Failure.self) { try requests.take(for: slot()) { throw Failure() } }
        }
        #expect(try requests.take(for: slot()) { 7 } == 7)
    }
}
