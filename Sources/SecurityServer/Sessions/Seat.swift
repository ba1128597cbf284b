import Glibc
import Synchronization

/// The place of one connection among those of its process and its user.
final class Seat: Sendable {
    let pid: Int32
    let uid: UInt32
    /// Those of its process.
    let turns: Turns
    /// The connection's; open for as long as the seat is in the census.
    private let socket: Int32
    /// Milliseconds of the clock since which it waits for its client; ``working`` while it does not.
    private let restingSince: Atomic<Int64>

    private static let working = Int64.max

    /// A connection rests from its beginning: its client has to say hello.
    init(socket: Int32, pid: Int32, uid: UInt32, turns: Turns) {
        self.socket = socket
        self.pid = pid
        self.uid = uid
        self.turns = turns
        restingSince = Atomic(MonotonicClock.coarseMilliseconds)
    }

    /// Nothing is to be done for the client until it sends its next request.
    func rest() { restingSince.store(MonotonicClock.coarseMilliseconds, ordering: .relaxed) }

    /// A request came, or a large one has been announced.
    func work() { restingSince.store(Self.working, ordering: .relaxed) }

    /// nil while it works.
    var rests: Int64? {
        let since = restingSince.load(ordering: .relaxed)
        return since == Self.working ? nil : since
    }

    /// Wakes whoever waits for the client, to find that the connection has ended.
    func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}
