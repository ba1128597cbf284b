import Glibc
import Synchronization

/// What other threads were to do and did not.
package struct WaitedInVain: Error {
    package let wanted: Int
    package let reached: Int
}

/// Counts up from 1.
package final class Counter: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    package func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }

    /// Waits until it has come so far: for two minutes, since a test that hangs says less than one that fails.
    package func wait(for wanted: Int) throws(WaitedInVain) {
        for _ in 0..<120_000 where value < wanted { usleep(1000) }
        guard value >= wanted else { throw WaitedInVain(wanted: wanted, reached: value) }
    }
}

/// Something that happens once.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isRaised: Bool { value.load(ordering: .acquiring) }

    package func raise() { value.store(true, ordering: .releasing) }
}

/// A clock that a test sets, in milliseconds.
package final class FakeClock: Sendable {
    private let time: Atomic<Int64>

    package init(_ milliseconds: Int64 = 0) { time = Atomic(milliseconds) }

    package var now: Int64 { time.load(ordering: .acquiring) }

    package func pass(milliseconds: Int64) { time.wrappingAdd(milliseconds, ordering: .acquiringAndReleasing) }
}
