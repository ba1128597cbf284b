/// How many calls of one kind a process has under way at once; further ones wait, and hold no connection meanwhile.
final class CallPlaces: Sendable {
    private let monitor = Monitor()
    // SAFETY: it is read and written inside of `monitor`.
    nonisolated(unsafe) private var left: Int

    init(_ count: Int) { left = count }

    func withPlace<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        monitor.locked {
            while left == 0 { monitor.wait() }
            left -= 1
        }
        defer {
            monitor.locked { left += 1 }
            monitor.signal()
        }
        return try body()
    }
}
