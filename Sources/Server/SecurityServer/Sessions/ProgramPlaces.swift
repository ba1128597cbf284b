import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// Places for slow work that programs share, and the lines of those who wait for one.
///
/// A program alone may have all places. Where several wait, the program that holds the fewest places gets the next free
/// one, and among equals the one that was served longest ago. Requests of one program are served as they came. So a
/// program waits for the end of one piece of another program's work, however many processes and threads that one has.
///
/// A wait has a bound. Whoever waits holds no turn of its process (``RequestLimiter``), and its connection is one that
/// another program may get. Each thread is woken by itself, so that a long line costs nobody anything.
///
/// The lock is held for moments, and a free place costs no allocation and no call of the system.
final class ProgramPlaces<Program: Hashable & Sendable>: Sendable {
    /// Programs whose last turn is remembered, beside those that hold a place or wait.
    private static var mostRemembered: Int { 256 }

    /// A request that waits.
    private struct Waiter {
        /// The number of its arrival.
        let number: UInt64
        let isServed = Monitor(false)
    }

    /// What a program holds, and who of it waits.
    private struct Account {
        var held = 0
        /// The number of the last turn; 0 for a program without one.
        var lastTurn: UInt64 = 0
        /// Those who wait, in the order of arrival.
        var line: [Waiter] = []
    }

    private struct State {
        var free: Int
        var waiting = 0
        var lastTurn: UInt64 = 0
        var lastArrival: UInt64 = 0
        var accounts: [Program: Account] = [:]
    }

    /// What is done at these places, as “so many … are under way” goes on.
    private let work: StaticString
    private let keepsOne: Bool
    private let mostWaiting: Int
    private let patience: Int
    private let state: AdaptiveMutex<State>

    /// Makes places of which all are free.
    ///
    /// - Parameters:
    ///   - work: what is done at them, in the plural, for errors.
    ///   - keepsOne: whether the last free place goes only to programs that hold none.
    ///   - mostWaiting: requests of one program that wait.
    ///   - patience: the milliseconds that a request waits.
    init(
        _ count: Int, for work: StaticString, keepsOne: Bool = false, mostWaiting: Int = .max,
        patience: Int = SessionLimits.placeSeconds * 1000
    ) {
        self.work = work
        self.keepsOne = keepsOne
        self.mostWaiting = mostWaiting
        self.patience = patience
        state = AdaptiveMutex(State(free: count))
    }

    /// Runs `body` with a place.
    ///
    /// - Throws: what `body` and ``take(for:from:while:)`` throw.
    func hold<Answer>(
        for program: Program, from slot: ConnectionSlot? = Originator.slot,
        while isWanted: () -> Bool = { true }, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        try take(for: program, from: slot, while: isWanted)
        defer { giveBack(from: program) }
        return try body()
    }

    /// Takes a place, once it is the program's turn, until ``giveBack(from:)``.
    ///
    /// - Parameters:
    ///   - slot: the connection that waits; nil where securityd acts by itself.
    ///   - isWanted: whether the work is still to be done. It is asked where nothing may be waited for, while the
    ///     request waits, and again after ``reconsider()``.
    /// - Throws: `errSecNotAvailable` where no place is to be had in time, where too many requests of the program
    ///   wait, where the connection is given away, and where the work is not wanted any more.
    func take(
        for program: Program, from slot: ConnectionSlot? = Originator.slot, while isWanted: () -> Bool = { true }
    ) throws(KeychainError) {
        guard !takeIfFree(for: program) else { return }
        guard let slot else { return try wait(for: program, from: nil, while: isWanted) }
        try slot.requests.leave(for: slot) { () throws(KeychainError) in
            try wait(for: program, from: slot, while: isWanted)
        }
    }

    /// Takes a place if one is free and nobody waits; returns whether it did.
    func takeIfFree(for program: Program) -> Bool {
        state.withLock { state in
            guard state.waiting == 0, state.free > 0 else { return false }
            guard !keepsOne || state.free > 1 || state.accounts[program, default: Account()].held == 0 else {
                return false
            }
            Self.serve(&state.accounts[program, default: Account()], &state.free, &state.lastTurn)
            return true
        }
    }

    func giveBack(from program: Program) {
        state.withLock { state in
            state.free += 1
            state.accounts[program]?.held -= 1
            serve(&state)
            forget(&state)
        }
    }

    /// Has all who wait find out whether their work is still wanted.
    func reconsider() {
        state.withLock { state in
            for waiter in state.accounts.values.flatMap(\.line) { waiter.isServed.wake() }
        }
    }

    /// How many requests wait.
    var waiting: Int { state.withLock { $0.waiting } }

    private func wait(
        for program: Program, from slot: ConnectionSlot?, while isWanted: () -> Bool
    ) throws(KeychainError) {
        guard let waiter = arrive(program) else {
            throw Self.unavailable("so many \(work) of this program wait already; try again")
        }
        stand(waiter, slot, isWanted)
        guard leave(waiter, program) else {
            throw Self.unavailable(
                "so many \(work) are under way that this one did not begin within \(patience / 1000) s; try again")
        }
    }

    private static func unavailable(_ reason: String) -> KeychainError {
        KeychainError(cause: .request, status: .notAvailable, reason)
    }

    /// Puts a request in the line of its program; nil where that is full.
    private func arrive(_ program: Program) -> Waiter? {
        state.withLock { state in
            guard state.accounts[program, default: Account()].line.count < mostWaiting else { return nil }
            state.lastArrival += 1
            let waiter = Waiter(number: state.lastArrival)
            state.accounts[program, default: Account()].line.append(waiter)
            state.waiting += 1
            serve(&state)
            return waiter
        }
    }

    /// Waits until the request is served, or for as long as it may.
    private func stand(_ waiter: Waiter, _ slot: ConnectionSlot?, _ isWanted: () -> Bool) {
        let end = MonotonicClock.coarseMilliseconds + Int64(patience)
        var waits = false
        waiter.isServed.wait { isServed -> Awaited<Void> in
            guard !isServed else { return .answer(()) }
            if !waits { slot?.wait(on: waiter.isServed) }
            waits = true
            let rest = end - MonotonicClock.coarseMilliseconds
            guard rest > 0, !(slot?.isGivenAway ?? false), isWanted() else { return .answer(()) }
            return .nothing(milliseconds: Int(rest))
        }
        if waits { slot?.work() }
    }

    /// Takes a request that waits no longer out of its line; returns whether it was served.
    private func leave(_ waiter: Waiter, _ program: Program) -> Bool {
        state.withLock { state in
            guard !waiter.isServed.withLock({ $0 }) else { return true }
            state.accounts[program]?.line.removeAll { $0.number == waiter.number }
            state.waiting -= 1
            return false
        }
    }

    /// Serves those who wait, as far as places are free.
    private func serve(_ state: inout State) {
        while state.free > 0, state.waiting > 0, let program = next(state) {
            guard let waiter = state.accounts[program]?.line.removeFirst() else { return }
            state.waiting -= 1
            Self.serve(&state.accounts[program, default: Account()], &state.free, &state.lastTurn)
            waiter.isServed.withLock { $0 = true }
            waiter.isServed.signal()
        }
    }

    private static func serve(_ account: inout Account, _ free: inout Int, _ lastTurn: inout UInt64) {
        free -= 1
        lastTurn += 1
        account.held += 1
        account.lastTurn = lastTurn
    }

    /// The program whose request is served next; nil where the place is kept.
    private func next(_ state: State) -> Program? {
        func rank(_ account: Account) -> (Int, UInt64, UInt64) {
            (account.held, account.lastTurn, account.line.first?.number ?? .max)
        }
        let first = state.accounts.filter { !$0.value.line.isEmpty }.min { rank($0.value) < rank($1.value) }
        guard let first, !keepsOne || state.free > 1 || first.value.held == 0 else { return nil }
        return first.key
    }

    private func forget(_ state: inout State) {
        guard state.accounts.count > Self.mostRemembered else { return }
        state.accounts = state.accounts.filter { $0.value.held > 0 || !$0.value.line.isEmpty }
    }
}
