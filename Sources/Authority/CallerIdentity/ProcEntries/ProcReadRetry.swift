import Glibc

/// How long a look is made again that took too long to be believed.
///
/// Interruptions are rare beside the two microseconds of a look: one in a thousand on a busy machine. But a machine also has
/// phases in which everything takes ten times as long: a virtual one, while the host is busy. Up to 72 ms were measured, and
/// tries one after the other are over before such a phase is. So there are pauses between them, and time is what ends them.
///
/// More tries make nothing easier for who executes programs meanwhile: each of them is believed by its own time alone.
struct ProcReadRetry: Sendable {
    /// Ten times the longest phase that was measured, and a fifth of what a look may take with all its waiting.
    static let patience: UInt64 = 1_000_000_000
    /// Without a pause; about 200 µs where none of them is interrupted.
    static let triesInARow = 64
    /// Nanoseconds. Each pause is twice as long as the one before: who keeps us trying on purpose has little of our time.
    static let shortestPause: UInt64 = 500_000
    static let longestPause: UInt64 = 50_000_000

    /// Nanoseconds of a clock that does not go back.
    var now: @Sendable () -> UInt64
    var pause: @Sendable (_ nanoseconds: UInt64) -> Void

    /// What `look` brings when it succeeds or fails for good; nil where it never did in time.
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
        now: {
            var time = timespec()
            // SAFETY: the call fills the structure.
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        },
        pause: { nanoseconds in
            var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
            // SAFETY: the structure is read. A signal ends the pause early, which costs a few tries.
            nanosleep(&time, nil)
        })
}
