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
final class Budget: Sendable {
    /// The milliseconds of one step: use is counted in steps of the largest request for that time.
    ///
    /// A program below one step counts as having used nothing.
    fileprivate static let stepMilliseconds: Int64 = 1000
    /// Programs, and processes, whose use is remembered.
    ///
    /// Beyond that number, every account that holds nothing is forgotten.
    fileprivate static let mostRemembered = 1024
    /// The milliseconds after which half of the use is forgotten, so that a busy program does not stay behind an
    /// occasional one.
    fileprivate static let halfLife: Int64 = 30_000

    /// What a program or a process holds and has used.
    fileprivate struct Account {
        var held = 0
        /// Bytes times milliseconds.
        var used: Int64 = 0
    }

    /// A request that waits in line.
    fileprivate struct Waiter {
        /// The number of its arrival.
        let number: UInt64
        let process: Int32
        let owner: BudgetOwner
        let bytes: Int
    }

    fileprivate struct State {
        let whole: Int
        let largest: Int
        var left: Int
        var owners: [BudgetOwner: Account] = [:]
        var processes: [Int32: Account] = [:]
        /// The waiting requests, in the order of arrival.
        var line: [Waiter] = []
        var lastNumber: UInt64 = 0
        /// When the use of all was halved last.
        var halved: Int64
    }

    private let state: Monitor<State>
    private let clock: @Sendable () -> Int64

    /// Makes a budget of which nothing is taken.
    ///
    /// - Parameters:
    ///   - largest: the most that one request may take, and the share that is kept for those who hold nothing.
    ///   - clock: milliseconds.
    init(
        bytes: Int, largest: Int = FrameLimits.requestBytes,
        clock: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }
    ) {
        state = Monitor(State(whole: bytes, largest: largest, left: bytes, halved: clock()))
        self.clock = clock
    }

    /// Waits until the budget serves the request.
    ///
    /// - Returns: the share, to give back.
    /// - Throws: `errSecNotAvailable` when the turn does not come in time, or when the place of the connection is given
    ///   away meanwhile.
    func take(
        _ bytes: Int, for slot: ConnectionSlot, milliseconds: Int = SessionLimits.waitSeconds * 1000
    ) throws(KeychainError) -> Share {
        let owner = slot.owner
        let number = state.withLock { $0.arrive(slot.pid, owner, bytes) }
        guard stand(number, slot, until: MonotonicClock.coarseMilliseconds + Int64(milliseconds)) else {
            throw KeychainError(
                cause: .request, status: .notAvailable, "too much of this kind is under way; try again")
        }
        return Share(process: slot.pid, owner: owner, bytes: bytes, start: clock())
    }

    /// A part of a budget.
    struct Share {
        fileprivate let process: Int32
        fileprivate let owner: BudgetOwner
        fileprivate let bytes: Int
        fileprivate let start: Int64
    }

    func give(back share: Share) {
        let now = clock()
        state.withLock { state in
            state.take(back: share, used: Int64(share.bytes) * (now - share.start))
            state.serve()
            state.forget(now)
        }
        state.broadcast()
    }

    /// How many requests wait.
    var waiting: Int { state.withLock { $0.line.count } }

    /// Waits until a request is served; false where its time or its place is gone.
    private func stand(_ number: UInt64, _ slot: ConnectionSlot, until end: Int64) -> Bool {
        var waits = false
        let isServed = state.wait { state -> Awaited<Bool> in
            guard state.isWaiting(number) else { return .answer(true) }
            if !waits { slot.wait(on: self.state) }
            waits = true
            let rest = end - MonotonicClock.coarseMilliseconds
            guard rest > 0, !slot.isGivenAway else {
                state.leave(number)
                return .answer(false)
            }
            return .nothing(milliseconds: Int(rest))
        }
        if waits { slot.work() }
        // Those behind a request that has left may be served now.
        if !isServed { state.broadcast() }
        return isServed
    }
}

extension Budget.State {
    /// Puts a request in the line, and serves it if it can be; returns its number.
    mutating func arrive(_ process: Int32, _ owner: BudgetOwner, _ bytes: Int) -> UInt64 {
        lastNumber += 1
        line.append(Budget.Waiter(number: lastNumber, process: process, owner: owner, bytes: bytes))
        serve()
        return lastNumber
    }

    func isWaiting(_ number: UInt64) -> Bool { line.contains { $0.number == number } }

    /// Takes a request out of the line, since it must not hold up those behind it.
    mutating func leave(_ number: UInt64) {
        line.removeAll { $0.number == number }
        serve()
    }

    mutating func take(back share: Budget.Share, used: Int64) {
        left += share.bytes
        owners[share.owner, default: Budget.Account()].held -= share.bytes
        owners[share.owner, default: Budget.Account()].used += used
        processes[share.process, default: Budget.Account()].held -= share.bytes
        processes[share.process, default: Budget.Account()].used += used
    }

    /// Serves the line from the front.
    ///
    /// A waiter for whom there is no room holds up those behind it. Otherwise a large request would never find room.
    mutating func serve() {
        while let index = line.indices.min(by: { rank(line[$0]) < rank(line[$1]) }) {
            let waiter = line[index]
            let rank = rank(waiter)
            let isModest = rank.0 == 0 && rank.1 == 0
            guard left - waiter.bytes >= (isModest || left == whole ? 0 : largest) else { return }
            line.remove(at: index)
            left -= waiter.bytes
            owners[waiter.owner, default: Budget.Account()].held += waiter.bytes
            processes[waiter.process, default: Budget.Account()].held += waiter.bytes
        }
    }

    /// The order of service: what is held and used, by program and by process.
    private func rank(_ waiter: Budget.Waiter) -> (Int, Int64, Int, Int64) {
        let program = owners[waiter.owner] ?? Budget.Account()
        let process = processes[waiter.process] ?? Budget.Account()
        let step = Int64(largest) * Budget.stepMilliseconds
        return (program.held, program.used / step, process.held, process.used / step)
    }

    /// Forgets old use: half with each half-life, and all once nothing is held and nobody waits.
    mutating func forget(_ now: Int64) {
        let periods = (now - halved) / Budget.halfLife
        if periods > 0 {
            halved += periods * Budget.halfLife
            for owner in owners.keys { owners[owner]?.used >>= min(periods, 62) }
            for process in processes.keys { processes[process]?.used >>= min(periods, 62) }
        }
        let isIdle = left == whole && line.isEmpty
        if isIdle || owners.count > Budget.mostRemembered {
            owners = owners.filter { !isIdle && $0.value.held > 0 }
        }
        if isIdle || processes.count > Budget.mostRemembered {
            processes = processes.filter { !isIdle && $0.value.held > 0 }
        }
    }
}
