import Glibc

/// Time that no one can set.
enum MonotonicClock {
    static var seconds: Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec
    }
}
