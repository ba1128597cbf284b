import CChatelaine
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import SystemCalls

/// Looks at callers, by processes of their own: Linux does not let a process under Landlock look at one that is not.
///
/// They open entries of a folder in /proc that securityd holds open, and pass the descriptors. Nothing of what a caller sends reaches them.
///
/// A look takes microseconds, and as long as it likes where the caller executes something and does not get on with it (a descriptor
/// that is closed on exec, of a file system that does not answer): the kernel then lets nobody see its memory. So there
/// are several helpers, a process is looked at by one at a time, and one that does not come back is killed and another started.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class DelegatedProcReader: @unchecked Sendable {
    /// As many processes can keep one each without anybody noticing. They are forks that have written to little.
    static let mostProcHelpers = 32
    /// Helpers that are kept when there is nothing to do.
    static let keptProcHelpers = 2
    /// Milliseconds that a look may take with all its waiting: below the time for a handshake.
    static let patience: Int64 = 5_000
    /// The same while others wait and there are as many helpers as may be: a thousand times what a look takes.
    static let patienceBesideOthers: Int64 = 500
    /// Milliseconds that reading an environment may take, which the process can hold up: a thousand times what it takes, and little for a person who is about to be
    /// asked. Nobody is told of a program that takes longer that nothing was loaded into it.
    static let environmentPatience: Int64 = 1_000
    /// Helpers that may hang on processes, killed and not ended, before no environment is read any more: a quarter of those that can hang without
    /// keeping others from being started.
    static let mostHanging = mostProcHelpers / 4
    /// Between two looks at what has become of others, in milliseconds. Nobody hears of a look that is done sooner.
    static let pause: Int32 = 50

    /// How often, and how long each time, one that looks is waited for before another is started.
    private static let comings = 3
    private static let comingMilliseconds = 2

    private let overseer: ProcHelperSupervisor
    private let files: FileCalls
    let isConfined: Bool
    private let monitor = Monitor()
    private var idle: [ProcHelper] = []
    /// With those that look, and those that are being started.
    private var count = 0
    /// Looks that wait for a helper.
    private var waiting = 0
    /// For each process that is being looked at, by the inode of its folder: whose turn it is.
    private var turns: [UInt64: ProcessTurn] = [:]
    private let lost = Atomic<Int>(0)

    /// Forks the first ones; call it while there is one thread.
    init(files: FileCalls = .system, processes: ProcessCalls = .system) throws(KeychainError) {
        self.files = files
        overseer = try ProcHelperSupervisor(calls: processes)
        guard let first = overseer.startProcHelper(), let isConfined = first.greeting() else {
            throw KeychainError(.notAvailable, "securityd-look, a part of securityd, ended at its start")
        }
        self.isConfined = overseer.isConfined && isConfined
        idle = [first]
        count = 1
    }

    func watch(_ body: @escaping @Sendable () -> Void) { overseer.watch(body) }

    /// Looks that did not come back.
    var unanswered: Int { lost.load(ordering: .relaxed) }

    /// As ``ProcEntry/open(in:)`` answers; ETIMEDOUT where there was no answer in time, or the place of the connection was given away meanwhile.
    func look(at entry: ProcEntry, in folder: Int32, for slot: ConnectionSlot) -> OpenedEntry {
        // A program could have one after the other hang by asking for something again and again.
        if entry == .environment, overseer.hanging() >= Self.mostHanging { return OpenedEntry(error: EAGAIN) }
        let process: UInt64
        do throws(Errno) { process = try files.status(of: folder).key.inode } catch {
            return OpenedEntry(error: error.code)
        }
        let read = PendingRead(slot, patience: entry == .environment ? Self.environmentPatience : Self.patience)
        defer { read.finish() }
        let turn = turn(of: process)
        defer { leave(turn, of: process) }
        guard turn.take(for: slot, milliseconds: Int(read.patience)) else { return OpenedEntry(error: ETIMEDOUT) }
        defer { turn.giveBack() }
        // A second try for who meets a helper that somebody has killed.
        for _ in 0..<2 {
            guard let procHelper = take(read) else { return OpenedEntry(error: ETIMEDOUT) }
            switch procHelper.ask(entry, in: folder) {
            case .done: break
            case .refused(let error):
                giveBack(procHelper)
                return OpenedEntry(error: error)
            case .lost:
                discard(procHelper)
                continue
            }
            while !procHelper.hasAnswered(milliseconds: Self.pause) {
                guard read.mayGoOn(isAwaited: monitor.locked { waiting > 0 && count >= Self.mostProcHelpers }) else {
                    lost.add(1, ordering: .relaxed)
                    discard(procHelper)
                    return OpenedEntry(error: ETIMEDOUT)
                }
            }
            guard let opened = procHelper.answer() else {
                discard(procHelper)
                continue
            }
            giveBack(procHelper)
            return opened
        }
        return OpenedEntry(error: EIO)
    }

    private func turn(of process: UInt64) -> ProcessTurn {
        monitor.locked {
            let turn = turns[process] ?? ProcessTurn()
            turn.users += 1
            turns[process] = turn
            return turn
        }
    }

    private func leave(_ turn: ProcessTurn, of process: UInt64) {
        monitor.locked {
            turn.users -= 1
            if turn.users == 0 { turns[process] = nil }
        }
    }

    /// A helper, started if need be; nil where none is to be had in time.
    private func take(_ read: PendingRead) -> ProcHelper? {
        monitor.locked { waiting += 1 }
        defer { monitor.locked { waiting -= 1 } }
        while true {
            let (found, mayStart) = monitor.locked { () -> (ProcHelper?, Bool) in
                // Those that there are come back within microseconds as a rule, and a new one takes a hundred times as long.
                for _ in 0..<Self.comings where idle.isEmpty && count >= Self.keptProcHelpers {
                    monitor.wait(milliseconds: Self.comingMilliseconds)
                }
                if let procHelper = idle.popLast() { return (procHelper, false) }
                guard count < Self.mostProcHelpers else { return (nil, false) }
                count += 1
                return (nil, true)
            }
            if let found { return found }
            if mayStart {
                if let procHelper = overseer.startProcHelper(), procHelper.greeting() != nil { return procHelper }
                // The user has no process left: those that there are go on.
                monitor.locked { count -= 1 }
            }
            guard read.mayGoOn(isAwaited: false) else { return nil }
            monitor.locked { if idle.isEmpty { monitor.wait(milliseconds: Int(Self.pause)) } }
        }
    }

    private func giveBack(_ procHelper: ProcHelper) {
        let isKept = monitor.locked {
            guard idle.count < Self.keptProcHelpers || waiting > 0 else {
                count -= 1
                return false
            }
            idle.append(procHelper)
            return true
        }
        // One that is let go of ends by its channel. One of those who wait can have it, and each looks again after a pause.
        if isKept { monitor.signal() }
    }

    private func discard(_ procHelper: ProcHelper) {
        overseer.kill(procHelper.pid)
        monitor.locked { count -= 1 }
        monitor.signal()
    }
}

/// One look on the way: how long it has taken, and whose place among the connections it does not keep while it takes long.
private final class PendingRead {
    private let slot: ConnectionSlot
    let patience: Int64
    private let start = MonotonicClock.coarseMilliseconds
    private var wasWorking = false

    init(_ slot: ConnectionSlot, patience: Int64) {
        self.slot = slot
        self.patience = patience
    }

    /// Called after each pause.
    func mayGoOn(isAwaited: Bool) -> Bool {
        if slot.idle == nil {
            wasWorking = true
            slot.rest()
        }
        let time = MonotonicClock.coarseMilliseconds - start
        return !slot.isGivenAway
            && time < (isAwaited ? min(patience, DelegatedProcReader.patienceBesideOthers) : patience)
    }

    func finish() { if wasWorking { slot.work() } }
}

/// Looks at the caller of one connection.
struct SlotProcReader: ProcReader {
    let procReader: DelegatedProcReader
    let slot: ConnectionSlot

    func look(at entry: ProcEntry, in folder: Int32) -> OpenedEntry {
        procReader.look(at: entry, in: folder, for: slot)
    }
}
