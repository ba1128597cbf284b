import ChatelaineIPC
import Glibc

/// The turns of one process: so many of its requests are worked on at once, and the others wait.
///
/// Threads share the processors evenly. Without this a program with sixteen requests at a time would have sixteen
/// parts of what another one has one of, which then waits that much longer.
// `@unchecked Sendable`: `taken` is touched under `monitor`.
final class Turns: @unchecked Sendable {
    /// More would not be done any sooner; one alone would be held up by its own large secrets.
    static let maximum = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private let monitor = Monitor()
    private var taken = 0

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: what `body` throws, and ``SessionError/givenAway`` when the place of the connection was given away meanwhile.
    func take<Result>(for seat: Seat, _ body: () throws -> Result) throws -> Result {
        let isMine = monitor.locked {
            if taken >= Self.maximum { seat.wait(on: monitor) }
            while taken >= Self.maximum {
                guard !seat.isGivenAway else { return false }
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
        seat.work()
        defer {
            monitor.locked { taken -= 1 }
            monitor.signal()
        }
        return try body()
    }
}
