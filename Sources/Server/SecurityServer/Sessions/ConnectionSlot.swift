import ChatelaineIPC
import ChatelaineSystem
import Glibc
import Synchronization

/// The place of one connection among those of its process, its program and its user.
final class ConnectionSlot: Sendable {
    let pid: Int32
    let uid: UInt32
    /// Those of its process.
    let requests: RequestLimiter
    /// The connection's; open for as long as the slot is counted.
    private let socket: Int32
    /// Milliseconds of the clock since which nothing is done for it; ``working`` while something is.
    private let idleSince: Atomic<Int64>
    private let isEnded = Atomic(false)
    private let waitsForPerson = Atomic(false)
    private let carriesNotifications = Atomic(false)
    /// Where it waited last.
    private let waitsOn = AdaptiveMutex<Monitor?>(nil)
    private let knownProgram = AdaptiveMutex<Program?>(nil)

    private static let working = Int64.max

    /// A connection rests from its beginning: its client has to say hello.
    init(socket: Int32, pid: Int32, uid: UInt32, requests: RequestLimiter) {
        self.socket = socket
        self.pid = pid
        self.uid = uid
        self.requests = requests
        idleSince = Atomic(MonotonicClock.coarseMilliseconds)
    }

    /// nil until the handshake has shown it; those of whom it is not known count as one.
    var program: Program? {
        get { knownProgram.withLock { $0 } }
        set { knownProgram.withLock { $0 = newValue } }
    }

    /// With whom it shares what is shared out by program.
    var owner: BudgetOwner { BudgetOwner(user: uid, program: program) }

    /// Nothing is to be done for the client until it sends its next request.
    func rest() { idleSince.store(MonotonicClock.coarseMilliseconds, ordering: .relaxed) }

    /// A request came, or a large one has been announced.
    func work() { idleSince.store(Self.working, ordering: .relaxed) }

    /// Its request waits for others', and nothing is being done about it until ``work()``. Call it with `monitor` locked, which is where it
    /// waits, and look at ``isGivenAway`` whenever it is woken.
    func wait(on monitor: Monitor) {
        waitsOn.withLock { $0 = monitor }
        rest()
    }

    /// nil while it works.
    var idle: Int64? {
        let since = idleSince.load(ordering: .relaxed)
        return since == Self.working ? nil : since
    }

    /// Its request waits for a person.
    var isAsking: Bool {
        get { waitsForPerson.load(ordering: .relaxed) }
        set { waitsForPerson.store(newValue, ordering: .relaxed) }
    }

    /// It carries notifications of changes, and counts among those connections alone (``ChangeSubscriptions``).
    var isListening: Bool {
        get { carriesNotifications.load(ordering: .relaxed) }
        set { carriesNotifications.store(newValue, ordering: .relaxed) }
    }

    /// It is counted elsewhere: neither among the connections of its process nor among those of its user, and nobody gets its place.
    var isApart: Bool { isAsking || isListening }

    /// Another connection has its place: what waits for something is to give up.
    var isGivenAway: Bool { isEnded.load(ordering: .relaxed) }

    /// Nobody waits for an answer any more: it is given away, or its client is gone. What the client sends meanwhile stays where it is.
    var isLeft: Bool {
        var watched = pollfd(fd: socket, events: 0, revents: 0)
        // SAFETY: the call reads and writes the one element that it is told there is.
        return isGivenAway || poll(&watched, 1, 0) > 0
    }

    /// Wakes whoever waits for the client, or for others, to find that the connection has ended.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        shutdown(socket, Int32(SHUT_RDWR))
        // Locked, so that it does not happen between a look and the wait that follows.
        let monitor = waitsOn.withLock { $0 }
        monitor?.locked { monitor?.broadcast() }
    }
}

/// What a process runs, as far as it is known before anybody reads it: the file.
///
/// Processes that run the same file share what is shared out by program. It is no identity: a program that wants to count as
/// several makes copies of itself.
struct Program: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// Those who share what is shared out by program: processes of one user that run the same file, or of whom that is not known.
struct BudgetOwner: Hashable, Sendable {
    let user: UInt32
    let program: Program?
}
