import ChatelaineIPC
import ChatelaineSystem

/// The turn to look at one process: looks at it come one after the other.
///
/// Each process has its own condition. Hundreds of connections may wait at one time, and waking all of them would take
/// a busy machine longer than they may wait.
// `@unchecked Sendable`: `isTaken` is touched under `monitor`, `users` under the monitor of ``DelegatedProcReader``.
final class ProcessTurn: @unchecked Sendable {
    /// The number of looks that have the turn or wait for it.
    var users = 0
    private let monitor = Monitor()
    private var isTaken = false

    /// Waits for the turn.
    ///
    /// False where that takes too long, or where the place of the connection was given away meanwhile.
    func take(for slot: ConnectionSlot, milliseconds: Int) -> Bool {
        let end = MonotonicClock.coarseMilliseconds + Int64(milliseconds)
        let wasWorking = slot.idle == nil
        var hasWaited = false
        let isOurs = monitor.locked { () -> Bool in
            while isTaken {
                hasWaited = true
                // Before ``ConnectionSlot/isGivenAway`` is read, since giving a place away wakes the threads on this
                // monitor.
                slot.wait(on: monitor)
                let left = end - MonotonicClock.coarseMilliseconds
                guard left > 0, !slot.isGivenAway else { return false }
                monitor.wait(milliseconds: Int(left))
            }
            isTaken = true
            return true
        }
        if hasWaited, wasWorking { slot.work() }
        // A woken thread that does not take the turn wakes the next one.
        if !isOurs { monitor.signal() }
        return isOurs
    }

    func giveBack() {
        monitor.locked { isTaken = false }
        monitor.signal()
    }
}
