import CChatelaine
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import SystemCalls

/// Looks at callers by separate processes, since Linux does not let a process under Landlock look at one outside of its
/// sandbox.
///
/// The helpers open entries of a folder in /proc that securityd holds open, and pass the descriptors. Nothing that a
/// caller sends reaches them.
///
/// A look takes microseconds. But it may take any time where the caller hangs in an exec, for instance while a slow
/// file system closes a descriptor. The kernel then lets nobody see the caller's memory. So there are several helpers,
/// and one at a time looks at a process. A helper that does not come back is killed, and another is started.
final class DelegatedProcReader: Sendable {
    /// The number of helpers; as many hanging callers go unnoticed by others.
    ///
    /// The helpers are forks that share most of their memory.
    static let mostProcHelpers = 32
    /// The number of helpers that are kept while there is nothing to do.
    static let keptProcHelpers = 2
    /// Milliseconds that a look may take, waits included: below the time for a handshake.
    static let patience: Int64 = 5_000
    /// Milliseconds for a look while others wait and no more helpers may be started: a thousand times what a look
    /// takes.
    static let patienceBesideOthers: Int64 = 500
    /// Milliseconds that a read of an environment may take, which the process can delay.
    ///
    /// That is a thousand times what the read takes, and short for a person who is about to be asked. A program that
    /// takes longer never counts as one without loaded code.
    static let environmentPatience: Int64 = 1_000
    /// The number of killed helpers that may hang on processes before environments are no longer read.
    ///
    /// It is a quarter of those that can hang without keeping others from being started.
    static let mostHanging = mostProcHelpers / 4
    /// Milliseconds between two checks of the other conditions of a look.
    ///
    /// A faster look never reaches such a check.
    static let pause: Int32 = 50

    /// How often, and how long each time, a busy helper is waited for before another is started.
    private static let comings = 3
    private static let comingMilliseconds = 2

    private let supervisor: ProcHelperSupervisor
    private let files: FileCalls
    let isConfined: Bool
    private let state: Monitor<State>
    private let lost = Atomic<Int>(0)

    private struct State {
        var idle: [ProcHelper]
        /// The number of helpers, including the busy ones and those that are being started.
        var count: Int
        /// Looks that wait for a helper.
        var waiting = 0
        /// The turns of the processes that helpers look at, by the inode of the process's folder, each with the number
        /// of looks that have it or wait for it.
        var turns: [UInt64: (turn: ProcessTurn, users: Int)] = [:]
    }

    /// Forks the first helpers.
    ///
    /// Call it while there is one thread.
    init(files: FileCalls = .system, processes: ProcessCalls = .system) throws(KeychainError) {
        self.files = files
        supervisor = try ProcHelperSupervisor(calls: processes)
        guard let first = supervisor.startProcHelper(), let isConfined = first.greeting() else {
            throw KeychainError(.notAvailable, "securityd-look, a part of securityd, ended at its start")
        }
        self.isConfined = supervisor.isConfined && isConfined
        state = Monitor(State(idle: [first], count: 1))
    }

    func watch(_ body: @escaping @Sendable () -> Void) { supervisor.watch(body) }

    /// The number of looks that did not come back.
    var unanswered: Int { lost.load(ordering: .relaxed) }

    /// Opens an entry like ``ProcEntry/open(in:)``.
    ///
    /// The error is ETIMEDOUT where there was no answer in time, or where the place of the connection was given away
    /// meanwhile.
    func look(at entry: ProcEntry, in folder: Int32, for slot: ConnectionSlot) -> OpenedEntry {
        // Otherwise a program could make one helper after the other hang by repeated requests.
        if entry == .environment, supervisor.hanging() >= Self.mostHanging { return OpenedEntry(error: EAGAIN) }
        let process: UInt64
        do throws(Errno) { process = try files.status(of: folder).key.inode } catch {
            return OpenedEntry(error: error.code)
        }
        let read = PendingRead(slot, patience: entry == .environment ? Self.environmentPatience : Self.patience)
        defer { read.finish() }
        let turn = turn(of: process)
        defer { leaveTurn(of: process) }
        guard turn.take(for: slot, milliseconds: Int(read.patience)) else { return OpenedEntry(error: ETIMEDOUT) }
        defer { turn.giveBack() }
        // The second try is for a helper that somebody has killed.
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
                guard read.mayGoOn(isAwaited: state.withLock { $0.waiting > 0 && $0.count >= Self.mostProcHelpers })
                else {
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
        state.withLock { state in
            let (turn, users) = state.turns[process] ?? (ProcessTurn(), 0)
            state.turns[process] = (turn, users + 1)
            return turn
        }
    }

    private func leaveTurn(of process: UInt64) {
        state.withLock { state in
            guard let (turn, users) = state.turns[process] else { return }
            state.turns[process] = users > 1 ? (turn, users - 1) : nil
        }
    }

    /// Takes a helper, and starts one if needed; nil where none is free in time.
    private func take(_ read: PendingRead) -> ProcHelper? {
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        while true {
            var comings = Self.comings
            let (found, mayStart) = state.wait { state -> Awaited<(ProcHelper?, Bool)> in
                if let procHelper = state.idle.popLast() { return .answer((procHelper, false)) }
                // A busy helper usually comes back within microseconds, and a new one takes a hundred times as long.
                guard comings == 0 || state.count < Self.keptProcHelpers else {
                    comings -= 1
                    return .nothing(milliseconds: Self.comingMilliseconds)
                }
                guard state.count < Self.mostProcHelpers else { return .answer((nil, false)) }
                state.count += 1
                return .answer((nil, true))
            }
            if let found { return found }
            if mayStart {
                if let procHelper = supervisor.startProcHelper(), procHelper.greeting() != nil { return procHelper }
                // The user has no process left, so the present helpers go on.
                state.withLock { $0.count -= 1 }
            }
            guard read.mayGoOn(isAwaited: false) else { return nil }
            var hasWaited = false
            state.wait { state -> Awaited<Void> in
                defer { hasWaited = true }
                return hasWaited || !state.idle.isEmpty ? .answer(()) : .nothing(milliseconds: Int(Self.pause))
            }
        }
    }

    private func giveBack(_ procHelper: ProcHelper) {
        let isKept = state.withLock { state in
            guard state.idle.count < Self.keptProcHelpers || state.waiting > 0 else {
                state.count -= 1
                return false
            }
            state.idle.append(procHelper)
            return true
        }
        // A released helper ends by its channel. The signal wakes one waiting look, and each looks again after a pause.
        if isKept { state.signal() }
    }

    private func discard(_ procHelper: ProcHelper) {
        supervisor.kill(procHelper.pid)
        state.withLock { $0.count -= 1 }
        state.signal()
    }
}

/// One look under way: the time that it has taken, and the connection, which is marked as idle while the look takes
/// long.
private final class PendingRead {
    private let slot: ConnectionSlot
    let patience: Int64
    private let start = MonotonicClock.coarseMilliseconds
    private var wasWorking = false

    init(_ slot: ConnectionSlot, patience: Int64) {
        self.slot = slot
        self.patience = patience
    }

    /// Whether the look may go on.
    ///
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
