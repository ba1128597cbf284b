import Glibc

/// Processor time of processes, user's and system's together.
enum ProcessorTime {
    /// The seconds that processes have used so far.
    static func seconds(of processes: [Int32]) throws -> Double {
        try processes.reduce(0) { sum, process in
            var clock = clockid_t()
            var time = timespec()
            try BenchError.check(
                clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &time) == 0,
                "process \(process) tells no processor time")
            return sum + Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
}
