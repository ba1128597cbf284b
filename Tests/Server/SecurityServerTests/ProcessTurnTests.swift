import ChatelaineIPC
import ChatelaineSystem
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// Turns to read a process are given in order.
@Suite(.timeLimit(.minutes(2))) struct ProcessTurnTests {
    /// Longer than any test, so that something else ends each wait.
    private static let long = 600_000

    private let turn = ProcessTurn()

    private func slot() -> ConnectionSlot { ConnectionSlot(socket: -1, pid: 1, uid: 1, requests: RequestLimiter()) }

    /// Has a thread of its own take the turn, and returns once that thread waits.
    ///
    /// The returned iterator gives the result later.
    private func wait(_ slot: ConnectionSlot, forMilliseconds milliseconds: Int = long) -> AsyncStream<Bool>.Iterator {
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        let turn = turn
        slot.work()
        let isStarted = Worker.start {
            continuation.yield(turn.take(for: slot, milliseconds: milliseconds))
            continuation.finish()
        }
        #expect(isStarted)
        do { try until(every: 50) { slot.idle != nil } } catch { Issue.record(error) }
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
        // The connection counts as busy again.
        #expect(next.idle == nil)
    }

    /// The thread of a connection that is given away ends at once, and others still get their turn.
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
