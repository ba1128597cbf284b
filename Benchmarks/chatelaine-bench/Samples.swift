import Glibc

/// The times of repeated calls, in nanoseconds.
struct Samples {
    private var values: [Int64] = []

    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = Self.now
        try body()
        values.append(Self.now - start)
    }

    /// Adds times in nanoseconds that another process has measured.
    mutating func add(_ times: [Int64]) { values += times }

    /// The microseconds below which a share of the samples is.
    func percentile(_ share: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
    }

    var median: Double { percentile(0.5) }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
