import ChatelaineIPC
import ChatelaineSystem

/// Looks at one process, one after the other.
///
/// Each process has a condition of its own: hundreds of connections may wait at one time, and a look that wakes all of them takes a
/// busy machine longer than they may wait.
// `@unchecked Sendable`: `isTaken` is touched under `monitor`, `users` under the monitor of ``DelegatedProcReader``.
final class ProcessTurn: @unchecked Sendable {
    /// Looks that have it or wait for it.
    var users = 0
    private let monitor = Monitor()
    private var isTaken = false

    /// Waits until nobody else looks; false where that takes too long, or where the place of the connection was given away meanwhile.
    func take(for slot: ConnectionSlot, milliseconds: Int) -> Bool {
        let end = MonotonicClock.coarseMilliseconds + Int64(milliseconds)
        let wasWorking = slot.idle == nil
        var hasWaited = false
        let isOurs = monitor.locked { () -> Bool in
            while isTaken {
                hasWaited = true
                // Before the look at it: whoever gives the place away wakes those who wait there.
                slot.wait(on: monitor)
                let left = end - MonotonicClock.coarseMilliseconds
                guard left > 0, !slot.isGivenAway else { return false }
                monitor.wait(milliseconds: Int(left))
            }
            isTaken = true
            return true
        }
        if hasWaited, wasWorking { slot.work() }
        // Who was woken and does not take it wakes the next one.
        if !isOurs { monitor.signal() }
        return isOurs
    }

    func giveBack() {
        monitor.locked { isTaken = false }
        monitor.signal()
    }
}
