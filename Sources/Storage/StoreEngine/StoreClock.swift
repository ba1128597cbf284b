import ChatelaineModel
import Glibc

/// The time of day, in seconds since 1 January 2001; tests set their own.
package struct StoreClock: Sendable {
    static let epoch = Double(ReferenceDate.secondsSince1970)

    package static let secondsPerHour: Double = 3600

    package let now: @Sendable () -> Double
    /// Seconds since a fixed earlier moment; they go on while the machine sleeps, and nobody can set them.
    package let elapsed: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Double, elapsed: @escaping @Sendable () -> Double = StoreClock.secondsSinceBoot
    ) {
        self.now = now
        self.elapsed = elapsed
    }

    @Sendable package static func secondsSinceBoot() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    package static let system = StoreClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) - epoch + Double(time.tv_nsec) / 1e9
    }

    /// The present hour: the file shows dates in clear in whole hours only.
    var hour: Int64 {
        let hours = now() / Self.secondsPerHour
        return hours.isFinite && abs(hours) < 1e12 ? Int64(hours) : 0
    }
}
