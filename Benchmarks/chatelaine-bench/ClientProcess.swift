import Glibc

/// One of several client processes: `chatelaine-bench client PART ITEMS`, with a channel as descriptor 3.
enum ClientProcess {
    /// The calls that a client makes until its time is over.
    enum Work: String {
        case lookUps = "look-ups"
        case adds
    }

    /// The message to a client: when all clients begin and end, by the clock that all processes share.
    struct Period {
        var start: Int64
        var end: Int64

        /// Says over descriptor 3 that this process is ready, and returns when the period has begun.
        static func awaited() throws -> Period {
            var period = Period(start: 0, end: 0)
            try withUnsafeMutableBytes(of: &period) { bytes in
                try Floor.transmit(3, UnsafeMutableRawBufferPointer(rebasing: bytes[..<1]))
                try Floor.receive(3, bytes)
            }
            var time = timespec(
                tv_sec: Int(period.start / 1_000_000_000), tv_nsec: Int(period.start % 1_000_000_000))
            while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
            return period
        }
    }

    /// The number of look-ups, each of another item, that a client prepares before the period starts.
    private static let preparedLookUps = 64

    static func run(_ arguments: [String]) throws {
        let items = arguments.dropFirst().first.flatMap { Int($0) }
        switch (arguments.first, items) {
        case ("round-trip", nil): try FloorClient.roundTrip()
        case ("exchanges", nil): try BareExchanges.client()
        case ("one-look-up", let items?): try Workload(count: items).copySecret(0)()
        case (Work.lookUps.rawValue, let items?):
            let first = Int(getpid()) * preparedLookUps
            let calls = (first..<(first + preparedLookUps)).map(Workload(count: items).copySecret)
            try work { calls[$0 % preparedLookUps] }
        case (Work.adds.rawValue, let items?):
            let workload = Workload(count: items)
            // A process of a later run may have the same process id.
            let name = "writer-\(getpid())-\(Samples.now)"
            try work { workload.addThroughSecItem("\(name)-\($0)") }
        case ("signed", _) where arguments.count == 4:
            try SignedProcess.run(first: arguments[2], last: arguments[3])
        default:
            throw BenchError("a client process does one of: round-trip, exchanges, one-look-up, look-ups, adds, signed")
        }
    }

    /// Makes calls from the start of the period to its end, and reports their number.
    private static func work(_ prepare: (Int) -> () throws -> Void) throws {
        // Another benchmark measures the first call.
        try prepare(0)()
        let period = try Period.awaited()
        var count = 0
        while Samples.now < period.end {
            count += 1
            try prepare(count)()
        }
        try withUnsafeMutableBytes(of: &count) { try Floor.transmit(3, $0) }
    }
}
