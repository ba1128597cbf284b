import ChatelaineSystem

/// Limits how many calls of one kind a process has under way at once. Further calls wait, without a connection.
final class CallLimiter: Sendable {
    /// The number of further calls that may begin.
    private let left: Monitor<Int>

    init(_ count: Int) { left = Monitor(count) }

    /// - Parameter isWanted: whether to go on waiting; asked again after ``wake()``. A call that is not wanted runs
    ///   `body` without a place.
    func withPlace<Result, Failure>(
        while isWanted: () -> Bool = { true }, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let hasPlace = left.wait { left -> Awaited<Bool> in
            guard left > 0 else { return isWanted() ? .nothing() : .answer(false) }
            left -= 1
            return .answer(true)
        }
        defer {
            if hasPlace {
                left.withLock { $0 += 1 }
                left.signal()
            }
        }
        return try body()
    }

    /// Makes all waiting calls ask again whether they are wanted.
    func wake() { left.wake() }
}
