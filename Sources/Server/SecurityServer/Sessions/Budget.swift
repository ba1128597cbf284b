import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// A shared budget: memory for large requests and answers, or places for slow work.
///
/// A request that finds the budget spent waits. The program that holds least is served first, and among equals the one
/// that has used least. The same is then compared by process, and at last the order of arrival decides. The last share,
/// enough for the largest request, goes only to programs that hold nothing and have used little. So no slow program,
/// and no program with many processes, keeps the others waiting for long.
///
/// A request that holds some of a budget never waits for more of the same budget, so that no two can wait for each
/// other.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class Budget: @unchecked Sendable {
    /// The milliseconds of one step: use is counted in steps of the largest request for that time.
    ///
    /// A program below one step counts as having used nothing.
    private static let stepMilliseconds: Int64 = 1000
    /// Programs, and processes, whose use is remembered.
    ///
    /// Beyond that number, every account that holds nothing is forgotten.
    private static let mostRemembered = 1024
    /// The milliseconds after which half of the use is forgotten, so that a busy program does not stay behind an
    /// occasional one.
    private static let halfLife: Int64 = 30_000

    /// A request that waits in line.
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

    /// What a program or a process holds and has used.
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
    /// The waiting requests, in the order of arrival.
    private var line: [Waiter] = []
    private var halved: Int64

    /// Makes a budget of which nothing is taken.
    ///
    /// - Parameters:
    ///   - largest: the most that one request may take, and the share that is kept for those who hold nothing.
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

    /// Waits until the budget serves the request.
    ///
    /// - Returns: the share, to give back.
    /// - Throws: `errSecNotAvailable` when the turn does not come in time, or when the place of the connection is given
    ///   away meanwhile.
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

    /// How many requests wait.
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

    /// Takes the waiter out of the line, and says whether it was served.
    ///
    /// One that was not must not hold up those behind it.
    private func leave(_ waiter: Waiter) -> Bool {
        guard !waiter.isServed else { return true }
        line.removeAll { $0 === waiter }
        serve()
        monitor.broadcast()
        return false
    }

    /// Serves the line from the front.
    ///
    /// A waiter for whom there is no room holds up those behind it. Otherwise a large request would never find room.
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

    /// The order of service: what is held and used, by program and by process.
    private func rank(_ waiter: Waiter) -> (Int, Int64, Int, Int64) {
        let program = owners[waiter.owner] ?? Account()
        let process = processes[waiter.slot.pid] ?? Account()
        let step = Int64(largest) * Self.stepMilliseconds
        return (program.held, program.used / step, process.held, process.used / step)
    }

    /// Forgets old use: half with each half-life, and all once nothing is held and nobody waits.
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
