import ChatelaineSystem
import Synchronization

/// Limits how many connections each process and each user has.
///
/// All programs of a user share the user's connections, and many silent processes together can take them all. So when
/// all are taken, a new connection gets the place of an idle one. The limiter chooses the program that has most, of
/// that the process that has most, and of that the connection that has been idle longest. The client of the idle
/// connection finds it closed, and makes another when it needs one.
///
/// The program of a process is known after the handshake. Until then all connections count as one program, so that
/// silent ones displace each other before they displace any that have spoken.
final class ConnectionLimiter: Sendable {
    private struct User {
        var slots: [ConnectionSlot] = []
        /// Slots of connections that have ended, or whose place was given away, and whose threads still run.
        var ending: [ConnectionSlot] = []
    }

    private let users = AdaptiveMutex<[UInt32: User]>([:])
    private let lastRemark = Atomic<Int64>(.min / 2)

    /// The result of counting a connection in.
    enum Admission {
        case slot(ConnectionSlot)
        /// The process has as many connections as allowed.
        case refused
        /// The user has as many connections as allowed and none is idle, or too many ended ones still have threads.
        case full
    }

    /// Counts a connection in.
    func admit(socket: Int32, pid: Int32, uid: UInt32) -> Admission {
        users.withLock { users in
            var user = users[uid, default: User()]
            let others = (user.slots + user.ending).filter { $0.pid == pid }
            guard others.count(where: { !$0.isApart }) < SessionLimits.connectionsPerProcess else { return .refused }
            let threads = (user.slots + user.ending).count { !$0.isApart }
            guard threads < SessionLimits.connectionsPerUser + SessionLimits.endingPerUser else { return .full }
            if user.slots.count(where: { !$0.isApart }) >= SessionLimits.connectionsPerUser {
                guard let index = Self.leastMissed(user.slots) else { return .full }
                let given = user.slots.remove(at: index)
                given.end()
                user.ending.append(given)
            }
            let slot = ConnectionSlot(
                socket: socket, pid: pid, uid: uid, requests: others.first?.requests ?? RequestLimiter())
            user.slots.append(slot)
            users[uid] = user
            return .slot(slot)
        }
    }

    /// Frees the place of a connection that has ended.
    ///
    /// Call it before the socket is closed, since its number may then belong to another connection.
    func vacate(_ slot: ConnectionSlot) {
        users.withLock { users in
            guard let index = users[slot.uid]?.slots.firstIndex(where: { $0 === slot }) else { return }
            users[slot.uid]?.slots.remove(at: index)
            users[slot.uid]?.ending.append(slot)
        }
    }

    /// Forgets a connection whose thread is through.
    ///
    /// Until then it counts as one of its process.
    func dismiss(_ slot: ConnectionSlot) {
        vacate(slot)
        users.withLock { users in
            guard var user = users[slot.uid] else { return }
            user.ending.removeAll { $0 === slot }
            users[slot.uid] = user.slots.isEmpty && user.ending.isEmpty ? nil : user
        }
    }

    var total: Int { users.withLock { $0.values.reduce(0) { $0 + $1.slots.count } } }

    /// Whether the last log line about too many connections is long enough ago.
    ///
    /// If so, the next one counts as written.
    var isTimeForRemark: Bool {
        let now = MonotonicClock.coarseMilliseconds
        guard now - lastRemark.load(ordering: .relaxed) >= SessionLimits.remarkMilliseconds else { return false }
        lastRemark.store(now, ordering: .relaxed)
        return true
    }

    private static func leastMissed(_ slots: [ConnectionSlot]) -> Int? {
        let programs = slots.map { $0.program }
        let ofProgram = programs.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let ofProcess = slots.reduce(into: [:]) { $0[$1.pid, default: 0] += 1 }
        var best: (index: Int, rank: (Int, Int, Int64))?
        for (index, slot) in slots.enumerated() {
            guard let since = slot.idle, !slot.isApart else { continue }
            let rank = (ofProgram[programs[index], default: 0], ofProcess[slot.pid, default: 0], -since)
            if let best, best.rank >= rank { continue }
            best = (index, rank)
        }
        return best?.index
    }
}
