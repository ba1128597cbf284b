import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol

/// The places at the key custodian for what programs bring to be checked, and the line of those who wait for one.
///
/// The program that holds the fewest places comes next, and among equals the one that was served longest ago. The last
/// free place goes only to a program that holds none. So no program keeps another one waiting for longer than its own
/// check takes.
///
/// A place is held for as long as a passcode is read and checked, which has a bound. So a wait has one too.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class PasscodePlaces: @unchecked Sendable {
    /// Requests of one program that wait: as many as it has connections.
    static let waitingOfProgram = SessionLimits.connectionsPerProcess
    /// Programs whose last turn is remembered, beside those that hold a place or wait.
    private static let mostRemembered = 256

    private final class Waiter {
        let program: PasscodeOrigin
        var isServed = false

        init(_ program: PasscodeOrigin) { self.program = program }
    }

    private let monitor = Monitor()
    private var free: Int
    private var held: [PasscodeOrigin: Int] = [:]
    /// The number of the last turn of each program.
    private var turns: [PasscodeOrigin: UInt64] = [:]
    private var lastTurn: UInt64 = 0
    /// The waiting requests, in the order of arrival.
    private var line: [Waiter] = []

    init(_ count: Int) { free = count }

    /// Runs `body` with a place, once it is the program's turn.
    ///
    /// - Throws: what `body` throws, and `errSecNotAvailable` where too many requests of the program wait already.
    func hold<Answer>(
        for program: PasscodeOrigin, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let isServed = monitor.locked {
            guard line.count(where: { $0.program == program }) < Self.waitingOfProgram else { return false }
            let waiter = Waiter(program)
            line.append(waiter)
            serve()
            while !waiter.isServed { monitor.wait() }
            return true
        }
        guard isServed else {
            throw KeychainError(.notAvailable, "so many passcodes of this program wait to be checked; try again")
        }
        defer { giveBack(from: program) }
        return try body()
    }

    /// How many requests wait.
    var waiting: Int { monitor.locked { line.count } }

    private func giveBack(from program: PasscodeOrigin) {
        monitor.locked {
            free += 1
            let left = held[program, default: 1] - 1
            held[program] = left > 0 ? left : nil
            serve()
            forget()
        }
        monitor.broadcast()
    }

    /// Serves those who wait, as far as places are free.
    private func serve() {
        while free > 0, let index = next() {
            let waiter = line.remove(at: index)
            waiter.isServed = true
            free -= 1
            held[waiter.program, default: 0] += 1
            lastTurn += 1
            turns[waiter.program] = lastTurn
        }
    }

    private func next() -> Int? {
        func rank(_ index: Int) -> (Int, UInt64, Int) {
            let program = line[index].program
            return (held[program] ?? 0, turns[program] ?? 0, index)
        }
        guard let index = line.indices.min(by: { rank($0) < rank($1) }) else { return nil }
        return free == 1 && held[line[index].program] != nil ? nil : index
    }

    private func forget() {
        guard turns.count > Self.mostRemembered else { return }
        turns = turns.filter { turn in held[turn.key] != nil || line.contains { $0.program == turn.key } }
    }
}
