import ChatelaineIPC
import ChatelaineSystem
import Glibc

/// Bounds how many requests of one process are worked on at once; the others wait.
///
/// Threads share the processors evenly. Without this limit a program with sixteen requests at a time would get sixteen
/// times the share of a program with one.
final class RequestLimiter: Sendable {
    /// More would not finish any sooner.
    ///
    /// With only one, a process would be held up by its own large secrets.
    static let maximum = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// The number of requests that are under way.
    private let taken = Monitor(0)

    /// Runs `body` when the process has fewer requests under way than it may have.
    ///
    /// - Throws: what `body` throws, and ``SessionError/givenAway`` when the place of the connection was given away
    ///   meanwhile.
    func take<Result>(for slot: ConnectionSlot, _ body: () throws -> Result) throws -> Result {
        var waits = false
        let isMine = taken.wait { count -> Awaited<Bool> in
            guard count >= Self.maximum else {
                count += 1
                return .answer(true)
            }
            if !waits { slot.wait(on: taken) }
            waits = true
            return slot.isGivenAway ? .answer(false) : .nothing()
        }
        guard isMine else {
            // This waiter may have used up the signal that another one needs.
            taken.signal()
            throw SessionError.givenAway
        }
        slot.work()
        slot.holdsTurn = true
        defer {
            slot.holdsTurn = false
            giveBack()
        }
        return try body()
    }

    /// Runs `body` without the turn that the connection may have, and takes one again afterwards.
    ///
    /// The process's other requests go on meanwhile. The second turn is not waited for, even if the process has more
    /// than its maximum then: the caller may hold something for which a request with a turn waits.
    func leave<Result, Failure: Error>(
        for slot: ConnectionSlot, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard slot.holdsTurn else { return try body() }
        slot.holdsTurn = false
        giveBack()
        defer {
            taken.withLock { $0 += 1 }
            slot.holdsTurn = true
        }
        return try body()
    }

    private func giveBack() {
        taken.withLock { $0 -= 1 }
        taken.signal()
    }
}
