import ChatelaineIPC
import ChatelaineModel

/// Memory for what is large, or places for what takes long, shared by all sessions.
///
/// Whoever finds it spent waits: first those whose program holds least of it, then those whose program has used least, the
/// same by process, and at last in the order in which they came. What is left for the largest request goes only to programs that hold nothing and
/// have used little, so that who is slow, or many, keeps no other waiting for long.
///
/// Nobody waits here who holds some of the same budget, so that no two can wait for each other.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class Budget: @unchecked Sendable {
    /// Use is counted in steps: the largest request for so many milliseconds. Who uses less has used nothing.
    private static let stepMilliseconds: Int64 = 1000
    /// Programs, and processes, whose use is remembered; with one more all is forgotten.
    private static let mostRemembered = 1024
    /// After so many milliseconds half of what was used is forgotten: who is at work all day is not behind one who comes now and then.
    private static let halfLife: Int64 = 30_000

    /// Who waits in line.
    private final class Waiter {
        let slot: ConnectionSlot
        let owner: BudgetOwner
        let bytes: Int
        var isServed = false

        init(_ slot: ConnectionSlot, _ bytes: Int) {
            self.slot = slot
            owner = slot.owner
            self.bytes = bytes
        }
    }

    /// What somebody holds and has used.
    private struct Account {
        var held = 0
        /// Bytes times milliseconds.
        var used: Int64 = 0
    }

    private let monitor = Monitor()
    private let largest: Int
    private let clock: @Sendable () -> Int64
    private var left: Int
    private let whole: Int
    private var owners: [BudgetOwner: Account] = [:]
    private var processes: [Int32: Account] = [:]
    /// In the order in which they came.
    private var line: [Waiter] = []
    private var halved: Int64

    /// - Parameters:
    ///   - largest: what one may take at most, and what is left to those who hold nothing.
    ///   - clock: milliseconds.
    init(
        bytes: Int, largest: Int = FrameLimits.requestBytes,
        clock: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }
    ) {
        left = bytes
        whole = bytes
        self.largest = largest
        self.clock = clock
        halved = clock()
    }

    /// Waits for its turn.
    ///
    /// - Returns: what to give back.
    /// - Throws: `errSecNotAvailable` when its turn does not come in time, or when the place of the connection is given away
    ///   meanwhile.
    func take(
        _ bytes: Int, for slot: ConnectionSlot, milliseconds: Int = SessionLimits.waitSeconds * 1000
    ) throws(KeychainError) -> Share {
        let waiter = Waiter(slot, bytes)
        let isServed = monitor.locked {
            line.append(waiter)
            serve()
            if !waiter.isServed { stand(waiter, until: MonotonicClock.coarseMilliseconds + Int64(milliseconds)) }
            return leave(waiter)
        }
        guard isServed else {
            throw KeychainError(
                cause: .request, status: .notAvailable, "too much of this kind is under way; try again")
        }
        return Share(process: slot.pid, owner: waiter.owner, bytes: bytes, start: clock())
    }

    /// A part of a budget.
    struct Share {
        fileprivate let process: Int32
        fileprivate let owner: BudgetOwner
        fileprivate let bytes: Int
        fileprivate let start: Int64
    }

    func give(back share: Share) {
        let used = Int64(share.bytes) * (clock() - share.start)
        monitor.locked {
            left += share.bytes
            owners[share.owner, default: Account()].held -= share.bytes
            owners[share.owner, default: Account()].used += used
            processes[share.process, default: Account()].held -= share.bytes
            processes[share.process, default: Account()].used += used
            serve()
            forget()
        }
        monitor.broadcast()
    }

    /// How many wait.
    var waiting: Int { monitor.locked { line.count } }

    private func stand(_ waiter: Waiter, until end: Int64) {
        waiter.slot.wait(on: monitor)
        defer { waiter.slot.work() }
        while !waiter.isServed, !waiter.slot.isGivenAway {
            let rest = end - MonotonicClock.coarseMilliseconds
            guard rest > 0 else { return }
            monitor.wait(milliseconds: Int(rest))
        }
    }

    /// Whether it was served; who was not no longer holds up those behind it.
    private func leave(_ waiter: Waiter) -> Bool {
        guard !waiter.isServed else { return true }
        line.removeAll { $0 === waiter }
        serve()
        monitor.broadcast()
        return false
    }

    /// Serves from the front. Who is there and finds no room holds up those behind, or a large one would never find any.
    private func serve() {
        while let index = line.indices.min(by: { rank(line[$0]) < rank(line[$1]) }) {
            let waiter = line[index]
            let rank = rank(waiter)
            let isModest = rank.0 == 0 && rank.1 == 0
            guard left - waiter.bytes >= (isModest || left == whole ? 0 : largest) else { return }
            line.remove(at: index)
            left -= waiter.bytes
            owners[waiter.owner, default: Account()].held += waiter.bytes
            processes[waiter.slot.pid, default: Account()].held += waiter.bytes
            waiter.isServed = true
        }
    }

    /// What is held and used, by program and by process.
    private func rank(_ waiter: Waiter) -> (Int, Int64, Int, Int64) {
        let program = owners[waiter.owner] ?? Account()
        let process = processes[waiter.slot.pid] ?? Account()
        let step = Int64(largest) * Self.stepMilliseconds
        return (program.held, program.used / step, process.held, process.used / step)
    }

    /// Use counts while there is not enough for all.
    private func forget() {
        let periods = (clock() - halved) / Self.halfLife
        if periods > 0 {
            halved += periods * Self.halfLife
            for owner in owners.keys { owners[owner]?.used >>= min(periods, 62) }
            for process in processes.keys { processes[process]?.used >>= min(periods, 62) }
        }
        let isIdle = left == whole && line.isEmpty
        if isIdle || owners.count > Self.mostRemembered {
            owners = owners.filter { !isIdle && $0.value.held > 0 }
        }
        if isIdle || processes.count > Self.mostRemembered {
            processes = processes.filter { !isIdle && $0.value.held > 0 }
        }
    }
}
