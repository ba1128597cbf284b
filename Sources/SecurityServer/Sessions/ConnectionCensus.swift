import Synchronization

/// How many connections each process and each user has.
///
/// A user's are shared by all programs, and many processes together can take them all and keep silent. So who comes when they are
/// taken gets the place of one that rests: of the process that has most, the one that has rested longest. Its client
/// finds it closed, and makes another when it needs one.
final class ConnectionCensus: Sendable {
    private struct User {
        var seats: [Seat] = []
        /// Those whose place was given away included, as long as they are not through.
        var threads = 0
    }

    private let users = Mutex<[UInt32: User]>([:])
    private let lastRemark = Atomic<Int64>(.min / 2)

    /// Counts a connection in; nil where its process has as many as allowed, or its user has and none of them rests.
    func admit(socket: Int32, pid: Int32, uid: UInt32) -> Seat? {
        users.withLock { users in
            var user = users[uid, default: User()]
            let others = user.seats.filter { $0.pid == pid }
            guard others.count < SessionLimits.connectionsPerProcess,
                user.threads < SessionLimits.connectionsPerUser + SessionLimits.endingPerUser
            else { return nil }
            if user.seats.count >= SessionLimits.connectionsPerUser {
                guard let index = Self.leastMissed(user.seats) else { return nil }
                user.seats.remove(at: index).end()
            }
            let seat = Seat(socket: socket, pid: pid, uid: uid, turns: others.first?.turns ?? Turns())
            user.seats.append(seat)
            user.threads += 1
            users[uid] = user
            return seat
        }
    }

    /// Call it before the connection's socket is closed: the number may then be another one's.
    func dismiss(_ seat: Seat) {
        users.withLock { users in
            guard var user = users[seat.uid] else { return }
            user.seats.removeAll { $0 === seat }
            user.threads -= 1
            users[seat.uid] = user.threads > 0 ? user : nil
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
        let held = seats.reduce(into: [Int32: Int]()) { $0[$1.pid, default: 0] += 1 }
        var best: (index: Int, held: Int, since: Int64)?
        for (index, seat) in seats.enumerated() {
            guard let since = seat.rests else { continue }
            let held = held[seat.pid, default: 0]
            if let best, (best.held, -best.since) >= (held, -since) { continue }
            best = (index, held, since)
        }
        return best?.index
    }
}
