import ChatelaineIPC
import Glibc

/// Bounds how many requests of one process are worked on at once; the others wait.
///
/// Threads share the processors evenly. Without this a program with sixteen requests at a time would have sixteen
/// parts of what another one has one of, which then waits that much longer.
// `@unchecked Sendable`: `taken` is touched under `monitor`.
final class RequestLimiter: @unchecked Sendable {
    /// More would not be done any sooner; one alone would be held up by its own large secrets.
    static let maximum = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private let monitor = Monitor()
    private var taken = 0

    /// Runs `body` when the process has fewer requests under way than it may.
    ///
    /// - Throws: what `body` throws, and ``SessionError/givenAway`` when the place of the connection was given away meanwhile.
    func take<Result>(for slot: ConnectionSlot, _ body: () throws -> Result) throws -> Result {
        let isMine = monitor.locked {
            if taken >= Self.maximum { slot.wait(on: monitor) }
            while taken >= Self.maximum {
                guard !slot.isGivenAway else { return false }
                monitor.wait()
            }
            taken += 1
            return true
        }
        guard isMine else {
            // It may have been woken in another one's place.
            monitor.signal()
            throw SessionError.givenAway
        }
        slot.work()
        defer {
            monitor.locked { taken -= 1 }
            monitor.signal()
        }
        return try body()
    }
}
