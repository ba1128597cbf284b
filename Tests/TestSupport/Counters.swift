import Glibc
import Synchronization

/// The error of a wait for a count that timed out: other threads have not counted far enough.
package struct WaitedInVain: Error {
    package let wanted: Int
    package let reached: Int
}

/// A counter that threads share; the first increment gives 1.
package final class Counter: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    package func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }

    /// Waits at most two minutes for a value: a test that fails says more than one that hangs.
    package func wait(for wanted: Int) throws(WaitedInVain) {
        for _ in 0..<120_000 where value < wanted { usleep(1000) }
        guard value >= wanted else { throw WaitedInVain(wanted: wanted, reached: value) }
    }
}

/// A flag for an event that happens once.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isRaised: Bool { value.load(ordering: .acquiring) }

    package func raise() { value.store(true, ordering: .releasing) }

    /// Waits at most two minutes; a test then fails by what it expects.
    package func awaitRaise() { try? until("a flag is raised") { isRaised } }
}

/// A clock that a test sets, in milliseconds.
package final class FakeClock: Sendable {
    private let time: Atomic<Int64>

    package init(_ milliseconds: Int64 = 0) { time = Atomic(milliseconds) }

    package var now: Int64 { time.load(ordering: .acquiring) }

    package func pass(milliseconds: Int64) { time.wrappingAdd(milliseconds, ordering: .acquiringAndReleasing) }
}
