import ChatelaineSystem
import Glibc

/// How long a look is repeated that took too long to be trusted.
///
/// Interruptions are rare beside the two microseconds of a look: one in a thousand on a busy machine. But a virtual
/// machine also has phases in which everything takes ten times as long, while its host is busy. Phases of up to 72 ms
/// were measured, longer than a row of tries. So there are pauses between the rows, and a time limit ends them.
///
/// More tries do not help a process that executes programs meanwhile, because each try is judged by its own duration
/// alone.
struct ProcReadRetry: Sendable {
    /// In nanoseconds: ten times the longest phase that was measured, and a fifth of the time that a look may take with
    /// all its waiting.
    static let patience: UInt64 = 1_000_000_000
    /// Tries without a pause; about 200 µs if none of them is interrupted.
    static let triesInARow = 64
    /// In nanoseconds. Each pause is twice as long as the one before, so that a process which causes retries on purpose
    /// costs little time.
    static let shortestPause: UInt64 = 500_000
    static let longestPause: UInt64 = 50_000_000

    /// Nanoseconds of a monotonic clock.
    var now: @Sendable () -> UInt64
    var pause: @Sendable (_ nanoseconds: UInt64) -> Void

    /// The first result of `look` that is final, success or error; nil if every look took too long.
    func first(_ look: () -> OpenedEntry?) -> OpenedEntry? {
        let start = now()
        var nextPause = Self.shortestPause
        while true {
            for _ in 0..<Self.triesInARow { if let opened = look() { return opened } }
            guard now() &- start < Self.patience else { return nil }
            pause(nextPause)
            nextPause = min(2 * nextPause, Self.longestPause)
        }
    }

    static let system = ProcReadRetry(
        now: { UInt64(clamping: MonotonicClock.nanoseconds) },
        pause: { nanoseconds in
            var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
            // SAFETY: the structure is read. A signal ends the pause early, which costs a few tries.
            nanosleep(&time, nil)
        })
}
