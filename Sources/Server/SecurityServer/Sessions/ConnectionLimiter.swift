import ChatelaineSystem
import Synchronization

/// How many connections each process and each user has.
///
/// A user's are shared by all programs, and many processes together can take them all and keep silent. So who comes when they are
/// taken gets the place of one for which nothing is being done: of the program that has most, there of the process that has
/// most, the one that has been idle longest. Its client finds it closed, and makes another when it needs one.
///
/// Which program a process runs is known after the handshake. Until then all count as one program, so that connections that
/// say nothing take each other's places before those of anybody who said something.
final class ConnectionLimiter: Sendable {
    private struct User {
        var slots: [ConnectionSlot] = []
        /// Of connections that have ended, or whose place was given away: each has a thread that is not through.
        var ending: [ConnectionSlot] = []
    }

    private let users = AdaptiveMutex<[UInt32: User]>([:])
    private let lastRemark = Atomic<Int64>(.min / 2)

    /// What becomes of a connection.
    enum Admission {
        case slot(ConnectionSlot)
        /// Its process has as many as allowed.
        case refused
        /// Its user has, and something is being done for each of them, or those that have ended are not through yet.
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

    /// The connection has ended; its place is free. Call it before its socket is closed: the number may then be another one's.
    func vacate(_ slot: ConnectionSlot) {
        users.withLock { users in
            guard let index = users[slot.uid]?.slots.firstIndex(where: { $0 === slot }) else { return }
            users[slot.uid]?.slots.remove(at: index)
            users[slot.uid]?.ending.append(slot)
        }
    }

    /// Everything of the connection is gone, and its thread is through; until then it counts as one of its process.
    func dismiss(_ slot: ConnectionSlot) {
        vacate(slot)
        users.withLock { users in
            guard var user = users[slot.uid] else { return }
            user.ending.removeAll { $0 === slot }
            users[slot.uid] = user.slots.isEmpty && user.ending.isEmpty ? nil : user
        }
    }

    var total: Int { users.withLock { $0.values.reduce(0) { $0 + $1.slots.count } } }

    /// Whether the last remark about too many connections is long enough ago; the next one counts as made.
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
