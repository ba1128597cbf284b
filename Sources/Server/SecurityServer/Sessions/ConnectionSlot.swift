import ChatelaineIPC
import ChatelaineSystem
import Glibc
import Synchronization

/// The place of one connection among those of its process, its program and its user.
final class ConnectionSlot: Sendable {
    let pid: Int32
    let uid: UInt32
    /// The request limiter of the process.
    let requests: RequestLimiter
    /// The socket of the connection, open for as long as the slot is counted.
    private let socket: Int32
    /// Since when nothing is done for the connection, in milliseconds of the clock; ``working`` while something is
    /// done.
    private let idleSince: Atomic<Int64>
    private let isEnded = Atomic(false)
    private let waitsForPerson = Atomic(false)
    private let carriesNotifications = Atomic(false)
    private let hasTurn = Atomic(false)
    /// The monitor on which the connection waited last.
    private let waitsOn = AdaptiveMutex<(any Wakeable)?>(nil)
    private let knownProgram = AdaptiveMutex<Program?>(nil)

    private static let working = Int64.max

    /// A connection starts idle, since its client has to say hello first.
    init(socket: Int32, pid: Int32, uid: UInt32, requests: RequestLimiter) {
        self.socket = socket
        self.pid = pid
        self.uid = uid
        self.requests = requests
        idleSince = Atomic(MonotonicClock.coarseMilliseconds)
    }

    /// The program of the process; nil until the handshake.
    ///
    /// Connections without a known program count as one program.
    var program: Program? {
        get { knownProgram.withLock { $0 } }
        set { knownProgram.withLock { $0 = newValue } }
    }

    /// The owner under which budgets that are divided by program count this connection.
    var owner: BudgetOwner { BudgetOwner(user: uid, program: program) }

    /// Marks the connection as idle until the client sends its next request.
    func rest() { idleSince.store(MonotonicClock.coarseMilliseconds, ordering: .relaxed) }

    /// Marks the connection as busy: a request came, or a large one has been announced.
    func work() { idleSince.store(Self.working, ordering: .relaxed) }

    /// Marks the connection as idle until ``work()``, because its request waits for other requests.
    ///
    /// Call it with `monitor` locked, which is where the request waits, and look at ``isGivenAway`` after each wake.
    func wait(on monitor: any Wakeable) {
        waitsOn.withLock { $0 = monitor }
        rest()
    }

    /// Since when the connection is idle; nil while it works.
    var idle: Int64? {
        let since = idleSince.load(ordering: .relaxed)
        return since == Self.working ? nil : since
    }

    /// Whether the request of the connection waits for a person.
    var isAsking: Bool {
        get { waitsForPerson.load(ordering: .relaxed) }
        set { waitsForPerson.store(newValue, ordering: .relaxed) }
    }

    /// Whether the connection carries notifications.
    ///
    /// It then counts among such connections only (``SubscriptionList``).
    var isListening: Bool {
        get { carriesNotifications.load(ordering: .relaxed) }
        set { carriesNotifications.store(newValue, ordering: .relaxed) }
    }

    /// Whether the connection's request has one of its process's turns (``RequestLimiter``).
    var holdsTurn: Bool {
        get { hasTurn.load(ordering: .relaxed) }
        set { hasTurn.store(newValue, ordering: .relaxed) }
    }

    /// Whether the connection is counted elsewhere: not among those of its process or its user.
    ///
    /// No other connection gets its place.
    var isApart: Bool { isAsking || isListening }

    /// Whether another connection has its place, so that its waits must give up.
    var isGivenAway: Bool { isEnded.load(ordering: .relaxed) }

    /// Whether nobody waits for an answer any more: the place is given away, or the client is gone.
    ///
    /// The check leaves in the socket whatever the client sends meanwhile.
    var isLeft: Bool {
        var watched = pollfd(fd: socket, events: 0, revents: 0)
        // SAFETY: the call reads and writes the one element that it is told there is.
        return isGivenAway || poll(&watched, 1, 0) > 0
    }

    /// Ends the connection, and wakes the threads that wait for its client or on its monitor.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        shutdown(socket, Int32(SHUT_RDWR))
        waitsOn.withLock { $0 }?.wake()
    }
}

/// The file that a process runs, as far as is known before anybody reads the file.
///
/// Processes that run the same file share what is divided by program. This is no identity: a program that wants to
/// count as several makes copies of itself.
struct Program: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// The processes that share one part of what is divided by program.
///
/// They are the processes of one user that run the same file, or whose file is not known.
struct BudgetOwner: Hashable, Sendable {
    let user: UInt32
    let program: Program?
}
