import Synchronization

/// How many connections each process and each user has.
///
/// A user's are shared by all programs, and many processes together can take them all and keep silent. So who comes when they are
/// taken gets the place of one for which nothing is being done: of the program that has most, there of the process that has
/// most, the one that has been idle longest. Its client finds it closed, and makes another when it needs one.
///
/// Which program a process runs is known after the handshake. Until then all count as one program, so that connections that
/// say nothing take each other's places before those of anybody who said something.
final class ConnectionCensus: Sendable {
    private struct User {
        var seats: [Seat] = []
        /// Of connections that have ended, or whose place was given away: each has a thread that is not through.
        var ending: [Seat] = []
    }

    private let users = Mutex<[UInt32: User]>([:])
    private let lastRemark = Atomic<Int64>(.min / 2)

    /// What becomes of a connection.
    enum Admission {
        case seat(Seat)
        /// Its process has as many as allowed.
        case refused
        /// Its user has, and something is being done for each of them, or those that have ended are not through yet.
        case full
    }

    /// Counts a connection in.
    func admit(socket: Int32, pid: Int32, uid: UInt32) -> Admission {
        users.withLock { users in
            var user = users[uid, default: User()]
            let others = (user.seats + user.ending).filter { $0.pid == pid }
            guard others.count(where: { !$0.isAsking }) < SessionLimits.connectionsPerProcess else { return .refused }
            let threads = (user.seats + user.ending).count { !$0.isAsking }
            guard threads < SessionLimits.connectionsPerUser + SessionLimits.endingPerUser else { return .full }
            if user.seats.count(where: { !$0.isAsking }) >= SessionLimits.connectionsPerUser {
                guard let index = Self.leastMissed(user.seats) else { return .full }
                let given = user.seats.remove(at: index)
                given.end()
                user.ending.append(given)
            }
            let seat = Seat(socket: socket, pid: pid, uid: uid, turns: others.first?.turns ?? Turns())
            user.seats.append(seat)
            users[uid] = user
            return .seat(seat)
        }
    }

    /// The connection has ended; its place is free. Call it before its socket is closed: the number may then be another one's.
    func vacate(_ seat: Seat) {
        users.withLock { users in
            guard let index = users[seat.uid]?.seats.firstIndex(where: { $0 === seat }) else { return }
            users[seat.uid]?.seats.remove(at: index)
            users[seat.uid]?.ending.append(seat)
        }
    }

    /// Everything of the connection is gone, and its thread is through; until then it counts as one of its process.
    func dismiss(_ seat: Seat) {
        vacate(seat)
        users.withLock { users in
            guard var user = users[seat.uid] else { return }
            user.ending.removeAll { $0 === seat }
            users[seat.uid] = user.seats.isEmpty && user.ending.isEmpty ? nil : user
        }
    }

    var total: Int { users.withLock { $0.values.reduce(0) { $0 + $1.seats.count } } }

    /// Whether the last remark about too many connections is long enough ago; the next one counts as made.
    var isTimeForRemark: Bool {
        let now = MonotonicClock.coarseMilliseconds
        guard now - lastRemark.load(ordering: .relaxed) >= SessionLimits.remarkMilliseconds else { return false }
        lastRemark.store(now, ordering: .relaxed)
        return true
    }

    private static func leastMissed(_ seats: [Seat]) -> Int? {
        let programs = seats.map { $0.program }
        let ofProgram = programs.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let ofProcess = seats.reduce(into: [:]) { $0[$1.pid, default: 0] += 1 }
        var best: (index: Int, rank: (Int, Int, Int64))?
        for (index, seat) in seats.enumerated() {
            guard let since = seat.idle, !seat.isAsking else { continue }
            let rank = (ofProgram[programs[index], default: 0], ofProcess[seat.pid, default: 0], -since)
            if let best, best.rank >= rank { continue }
            best = (index, rank)
        }
        return best?.index
    }
}
