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
    private final class Gate: Sendable {
        private let state = Monitor(State())

        private struct State {
            var inside = 0
            var through = 0
            var refused = 0
            var isOpen = false
        }

        func pass() {
            change { $0.inside += 1 }
            state.waitUntil { $0.isOpen }
            change { state in
                state.inside -= 1
                state.through += 1
            }
        }

        func refuse() { change { $0.refused += 1 } }
        func open() { change { $0.isOpen = true } }

        private func change(_ body: (inout State) -> Void) {
            state.withLock(body)
            state.broadcast()
        }

        func awaitInside(_ count: Int) { state.waitUntil { $0.inside >= count } }
        func awaitThrough(_ count: Int) { state.waitUntil { $0.through >= count } }
        func awaitRefused(_ count: Int) { state.waitUntil { $0.refused >= count } }
        var countInside: Int { state.withLock { $0.inside } }
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
