/// How many calls of one kind a process has under way at once; further ones wait, and hold no connection meanwhile.
final class CallLimiter: Sendable {
    private let monitor = Monitor()
    // SAFETY: it is read and written inside of `monitor`.
    nonisolated(unsafe) private var left: Int

    init(_ count: Int) { left = count }

    /// - Parameter isWanted: whether to wait; asked again after ``wake()``. Who is not goes on without a place.
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

    /// Has all that wait look whether they are wanted.
    func wake() { monitor.locked { monitor.broadcast() } }
}
