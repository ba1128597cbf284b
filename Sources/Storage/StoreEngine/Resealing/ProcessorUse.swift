import Glibc

/// The share of the processors' time that threads of this process use.
struct ProcessorUse: Sendable {
    /// The share of one processor: repeated look-ups use more, and occasional ones less.
    private static let share = 0.02

    // RUSAGE_SELF and RUSAGE_THREAD of getrusage(2); Glibc's module has only the first.
    private static let (process, thread): (Int32, Int32) = (0, 1)

    private var others = 0.0
    private var time = 0.0

    /// Whether other threads than the caller's were at work since its last call.
    mutating func othersAreBusy() -> Bool {
        let (others, time) = (Self.seconds(Self.process) - Self.seconds(Self.thread), StoreClock.secondsSinceBoot())
        defer { (self.others, self.time) = (others, time) }
        return others - self.others > (time - self.time) * Self.share
    }

    private static func seconds(_ whose: Int32) -> Double {
        var usage = rusage()
        guard getrusage(whose, &usage) == 0 else { return 0 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
