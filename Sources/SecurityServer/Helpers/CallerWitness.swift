import CChatelaine
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import Glibc
import Synchronization

/// Looks at callers, by processes of their own: Linux does not let a process under Landlock look at one that is not.
///
/// They open entries of a folder in /proc that securityd holds open, and pass the descriptors. Nothing of what a caller sends reaches them.
///
/// A look takes microseconds, and as long as it likes where the caller executes something and does not get on with it (a descriptor
/// that is closed on exec, of a file system that does not answer): the kernel then lets nobody see its memory. So there
/// are several lookers, a process is looked at by one at a time, and one that does not come back is killed and another started.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class CallerWitness: @unchecked Sendable {
    /// As many processes can keep one each without anybody noticing. They are forks that have written to little.
    static let mostLookers = 32
    /// Lookers that are kept when there is nothing to do.
    static let keptLookers = 2
    /// Milliseconds that a look may take with all its waiting: below the time for a handshake.
    static let patience: Int64 = 5_000
    /// The same while others wait and there are as many lookers as may be: a thousand times what a look takes.
    static let patienceBesideOthers: Int64 = 500
    /// Between two looks at what has become of others, in milliseconds. Nobody hears of a look that is done sooner.
    static let pause: Int32 = 50

    /// How often, and how long each time, one that looks is waited for before another is started.
    private static let comings = 3
    private static let comingMilliseconds = 2

    private let overseer: LookerOverseer
    let isConfined: Bool
    private let monitor = Monitor()
    private var idle: [Looker] = []
    /// With those that look, and those that are being started.
    private var count = 0
    /// Looks that wait for a looker.
    private var waiting = 0
    /// Folders of the processes that are being looked at, by inode.
    private var watched: Set<UInt64> = []
    private let lost = Atomic<Int>(0)

    /// Forks the first ones; call it while there is one thread.
    init() throws(KeychainError) {
        overseer = try LookerOverseer()
        guard let first = overseer.startLooker(), let isConfined = first.greeting() else {
            throw KeychainError(.notAvailable, "securityd-look, a part of securityd, ended at its start")
        }
        self.isConfined = overseer.isConfined && isConfined
        idle = [first]
        count = 1
    }

    func watch(_ body: @escaping @Sendable () -> Void) { overseer.watch(body) }

    /// Looks that did not come back.
    var unanswered: Int { lost.load(ordering: .relaxed) }

    /// As ``Sight/open(in:)`` answers; ETIMEDOUT where there was no answer in time, or the place of the connection was given away meanwhile.
    func look(at sight: Sight, in folder: Int32, for seat: Seat) -> Sighting {
        var status = stat()
        guard fstat(folder, &status) == 0 else { return Sighting(error: errno) }
        let process = UInt64(status.st_ino)
        let errand = Errand(seat)
        defer { errand.finish() }
        guard claim(process, errand) else { return Sighting(error: ETIMEDOUT) }
        defer { release(process) }
        // A second try for who meets a looker that somebody has killed.
        for _ in 0..<2 {
            guard let looker = take(errand) else { return Sighting(error: ETIMEDOUT) }
            switch looker.ask(sight, in: folder) {
            case .done: break
            case .refused(let error):
                giveBack(looker)
                return Sighting(error: error)
            case .lost:
                discard(looker)
                continue
            }
            while !looker.hasAnswered(milliseconds: Self.pause) {
                guard errand.mayGoOn(isAwaited: monitor.locked { waiting > 0 && count >= Self.mostLookers }) else {
                    lost.add(1, ordering: .relaxed)
                    discard(looker)
                    return Sighting(error: ETIMEDOUT)
                }
            }
            guard let sighting = looker.answer() else {
                discard(looker)
                continue
            }
            giveBack(looker)
            return sighting
        }
        return Sighting(error: EIO)
    }

    /// Waits until nobody looks at the process; false where that takes too long.
    private func claim(_ process: UInt64, _ errand: Errand) -> Bool {
        monitor.locked {
            while !watched.insert(process).inserted {
                guard errand.mayGoOn(isAwaited: false) else { return false }
                monitor.wait(milliseconds: Int(Self.pause))
            }
            return true
        }
    }

    private func release(_ process: UInt64) {
        monitor.locked { _ = watched.remove(process) }
        monitor.broadcast()
    }

    /// A looker, started if need be; nil where none is to be had in time.
    private func take(_ errand: Errand) -> Looker? {
        monitor.locked { waiting += 1 }
        defer { monitor.locked { waiting -= 1 } }
        while true {
            let (found, mayStart) = monitor.locked { () -> (Looker?, Bool) in
                // Those that there are come back within microseconds as a rule, and a new one takes a hundred times as long.
                for _ in 0..<Self.comings where idle.isEmpty && count >= Self.keptLookers {
                    monitor.wait(milliseconds: Self.comingMilliseconds)
                }
                if let looker = idle.popLast() { return (looker, false) }
                guard count < Self.mostLookers else { return (nil, false) }
                count += 1
                return (nil, true)
            }
            if let found { return found }
            if mayStart {
                if let looker = overseer.startLooker(), looker.greeting() != nil { return looker }
                // The user has no process left: those that there are go on.
                monitor.locked { count -= 1 }
            }
            guard errand.mayGoOn(isAwaited: false) else { return nil }
            monitor.locked { if idle.isEmpty { monitor.wait(milliseconds: Int(Self.pause)) } }
        }
    }

    private func giveBack(_ looker: Looker) {
        let isKept = monitor.locked {
            guard idle.count < Self.keptLookers || waiting > 0 else {
                count -= 1
                return false
            }
            idle.append(looker)
            return true
        }
        // One that is let go of ends by its channel.
        if isKept { monitor.broadcast() }
    }

    private func discard(_ looker: Looker) {
        overseer.kill(looker.pid)
        monitor.locked { count -= 1 }
        monitor.broadcast()
    }
}

/// One look on the way: how long it has taken, and whose place among the connections it does not keep while it takes long.
private final class Errand {
    private let seat: Seat
    private let start = MonotonicClock.coarseMilliseconds
    private var wasWorking = false

    init(_ seat: Seat) { self.seat = seat }

    /// Called after each pause.
    func mayGoOn(isAwaited: Bool) -> Bool {
        if seat.idle == nil {
            wasWorking = true
            seat.rest()
        }
        let time = MonotonicClock.coarseMilliseconds - start
        return !seat.isGivenAway && time < (isAwaited ? CallerWitness.patienceBesideOthers : CallerWitness.patience)
    }

    func finish() { if wasWorking { seat.work() } }
}

/// Looks at the caller of one connection.
struct SeatedWitness: Witness {
    let witness: CallerWitness
    let seat: Seat

    func look(at sight: Sight, in folder: Int32) -> Sighting { witness.look(at: sight, in: folder, for: seat) }
}
