/// Limits how many calls of one kind a process has under way at once. Further calls wait, without a connection.
final class CallLimiter: Sendable {
    private let monitor = Monitor()
    // SAFETY: it is read and written inside of `monitor`.
    nonisolated(unsafe) private var left: Int

    init(_ count: Int) { left = count }

    /// - Parameter isWanted: whether to go on waiting; asked again after ``wake()``. A call that is not wanted runs
    ///   `body` without a place.
    func withPlace<Result, Failure>(
        while isWanted: () -> Bool = { true }, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let hasPlace = monitor.locked {
            while left == 0 {
                guard isWanted() else { return false }
                monitor.wait()
            }
            left -= 1
            return true
        }
        defer {
            if hasPlace {
                monitor.locked { left += 1 }
                monitor.signal()
            }
        }
        return try body()
    }

    /// Makes all waiting calls ask again whether they are wanted.
    func wake() { monitor.locked { monitor.broadcast() } }
}
