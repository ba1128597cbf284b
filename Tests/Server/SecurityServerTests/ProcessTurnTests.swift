import ChatelaineIPC
import Glibc
import ChatelaineSystem
import SystemCalls
import Testing

@testable import SecurityServer

/// Whose turn it is to look at a process.
@Suite(.timeLimit(.minutes(2))) struct ProcessTurnTests {
    /// Longer than any test: what ends a wait is something else.
    private static let long = 600_000

    private let turn = ProcessTurn()

    private func slot() -> ConnectionSlot { ConnectionSlot(socket: -1, pid: 1, uid: 1, requests: RequestLimiter()) }

    /// Takes the turn on a thread of its own, once it has waited for it; what came of that comes later.
    private func wait(_ slot: ConnectionSlot, forMilliseconds milliseconds: Int = long) -> AsyncStream<Bool>.Iterator {
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        let turn = turn
        slot.work()
        let isStarted = Worker.start {
            continuation.yield(turn.take(for: slot, milliseconds: milliseconds))
            continuation.finish()
        }
        #expect(isStarted)
        while slot.idle == nil { sched_yield() }
        return results.makeAsyncIterator()
    }

    @Test func oneLooksAtATime() {
        #expect(turn.take(for: slot(), milliseconds: 0))
        #expect(!turn.take(for: slot(), milliseconds: 0))
        turn.giveBack()
        #expect(turn.take(for: slot(), milliseconds: 0))
    }

    @Test func whoWaitsHasItWhenItIsGivenBack() async {
        #expect(turn.take(for: slot(), milliseconds: 0))
        let next = slot()
        var result = wait(next)
        turn.giveBack()
        #expect(await result.next() == true)
        // Something is done for it again.
        #expect(next.idle == nil)
    }

    /// Its thread is needed: it ends at once, and whoever waits beside it is not forgotten.
    @Test func whosePlaceIsGivenAwayWaitsNoLonger() async {
        #expect(turn.take(for: slot(), milliseconds: 0))
        let (given, kept) = (slot(), slot())
        var (first, second) = (wait(given), wait(kept))
        given.end()
        #expect(await first.next() == false)
        turn.giveBack()
        #expect(await second.next() == true)
    }

    @Test func aConnectionThatIsIdleStaysSo() {
        #expect(turn.take(for: slot(), milliseconds: 0))
        let idle = slot()
        #expect(!turn.take(for: idle, milliseconds: 1) && idle.idle != nil)
    }
}
