import Glibc

/// Clocks that nobody can set.
package enum MonotonicClock {
    package static var seconds: Int { time(CLOCK_MONOTONIC).tv_sec }

    package static var milliseconds: Int64 { milliseconds(CLOCK_MONOTONIC) }

    package static var nanoseconds: Int {
        let now = time(CLOCK_MONOTONIC)
        return now.tv_sec * 1_000_000_000 + now.tv_nsec
    }

    /// Milliseconds since the machine started, including the time that it slept.
    package static var bootMilliseconds: Int64 { milliseconds(CLOCK_BOOTTIME) }

    /// Milliseconds of a clock that is a few milliseconds behind, and much cheaper to read.
    package static var coarseMilliseconds: Int64 { milliseconds(CLOCK_MONOTONIC_COARSE) }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        let now = time(clock)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    private static func time(_ clock: clockid_t) -> timespec {
        var now = timespec()
        // SAFETY: the call fills the structure.
        clock_gettime(clock, &now)
        return now
    }
}
