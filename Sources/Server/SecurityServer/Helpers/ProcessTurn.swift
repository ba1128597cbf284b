import ChatelaineIPC
import ChatelaineSystem

/// The turn to look at one process: looks at it come one after the other.
///
/// Each process has its own condition. Hundreds of connections may wait at one time, and waking all of them would take
/// a busy machine longer than they may wait.
final class ProcessTurn: Sendable {
    private let isTaken = Monitor(false)

    /// Waits for the turn.
    ///
    /// False where that takes too long, or where the place of the connection was given away meanwhile.
    func take(for slot: ConnectionSlot, milliseconds: Int) -> Bool {
        let end = MonotonicClock.coarseMilliseconds + Int64(milliseconds)
        let wasWorking = slot.idle == nil
        var hasWaited = false
        let isOurs = isTaken.wait { taken -> Awaited<Bool> in
            guard taken else {
                taken = true
                return .answer(true)
            }
            hasWaited = true
            // Before ``ConnectionSlot/isGivenAway`` is read, since giving a place away wakes the threads on this
            // monitor.
            slot.wait(on: isTaken)
            let left = end - MonotonicClock.coarseMilliseconds
            guard left > 0, !slot.isGivenAway else { return .answer(false) }
            return .nothing(milliseconds: Int(left))
        }
        if hasWaited, wasWorking { slot.work() }
        // A woken thread that does not take the turn wakes the next one.
        if !isOurs { isTaken.signal() }
        return isOurs
    }

    func giveBack() {
        isTaken.withLock { $0 = false }
        isTaken.signal()
    }
}
