import Synchronization

/// How many connections each process and each user has.
final class ConnectionCensus: Sendable {
    private struct Counts {
        var byProcess: [Int32: Int] = [:]
        var byUser: [UInt32: Int] = [:]
    }

    private let counts = Mutex(Counts())

    /// Counts a connection in, unless its process or user has as many as allowed.
    func admit(pid: Int32, uid: UInt32) -> Bool {
        counts.withLock { counts in
            let ofProcess = counts.byProcess[pid, default: 0]
            let ofUser = counts.byUser[uid, default: 0]
            guard ofProcess < SessionLimits.connectionsPerProcess, ofUser < SessionLimits.connectionsPerUser else {
                return false
            }
            counts.byProcess[pid] = ofProcess + 1
            counts.byUser[uid] = ofUser + 1
            return true
        }
    }

    func dismiss(pid: Int32, uid: UInt32) {
        counts.withLock { counts in
            counts.byProcess[pid] = counts.byProcess[pid].flatMap { $0 > 1 ? $0 - 1 : nil }
            counts.byUser[uid] = counts.byUser[uid].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    var total: Int { counts.withLock { $0.byProcess.values.reduce(0, +) } }
}
