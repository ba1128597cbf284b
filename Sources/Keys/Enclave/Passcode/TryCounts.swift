import ChatelaineModel
import EnclaveProtocol

/// The failed tries of a passcode since the right one, by origin, and the delay before the next try.
///
/// Programs are counted singly and together, and apart from the agent's own dialog, so that no program can make the
/// person wait.
struct TryCounts: Equatable, Sendable {
    /// The number of programs counted singly.
    ///
    /// All of them wait before they reach this many tries together.
    static let maximumPrograms = 32

    /// Grows with every write; a file with a lower sequence is older.
    var sequence: UInt64 = 0
    /// The start of the machine to which ``TryCount/last`` refers.
    var bootID: Bytes16
    var agent = TryCount()
    var programs = TryCount()
    /// Ascending by program, each with one failure or more.
    var byProgram: [ProgramTries] = []

    /// The milliseconds until a try of this origin is evaluated.
    func delay(for origin: PasscodeOrigin, now: UInt64) -> UInt64 {
        switch origin {
        case .agent: agent.delay(.person, now: now)
        case .program(let program):
            max(count(of: program).delay(.person, now: now), programs.delay(.programs, now: now))
        }
    }

    /// The failures of this origin since the last right passcode.
    func failures(of origin: PasscodeOrigin) -> UInt32 {
        switch origin {
        case .agent: agent.failures
        case .program(let program): count(of: program).failures
        }
    }

    /// Counts a try as failed.
    mutating func fail(_ origin: PasscodeOrigin, now: UInt64) {
        switch origin {
        case .agent: agent.fail(now: now)
        case .program(let program):
            programs.fail(now: now)
            var count = count(of: program)
            count.fail(now: now)
            byProgram.removeAll { $0.program == program }
            if byProgram.count >= Self.maximumPrograms, let least = leastOfPrograms { byProgram.remove(at: least) }
            byProgram.append(ProgramTries(program: program, count: count))
            byProgram.sort { $0.program.array.lexicographicallyPrecedes($1.program.array) }
        }
    }

    /// Restarts every delay in full, because after a start of the machine no clock shows how much of it has passed.
    mutating func restart(bootID: Bytes16, now: UInt64) {
        self.bootID = bootID
        agent.last = now
        programs.last = now
        for index in byProgram.indices { byProgram[index].count.last = now }
    }

    /// The counts that are assumed if the file is missing, damaged or was put back: the longest delay, for every
    /// origin.
    static func unknown(after sequence: UInt64, bootID: Bytes16, now: UInt64) -> TryCounts {
        var counts = TryCounts(sequence: sequence, bootID: bootID)
        counts.agent = TryCount(failures: TryDelays.person.failuresUntilLongest, last: now)
        counts.programs = TryCount(failures: TryDelays.programs.failuresUntilLongest, last: now)
        return counts
    }

    private func count(of program: Bytes16) -> TryCount {
        byProgram.first { $0.program == program }?.count ?? TryCount()
    }

    /// The index of the program that loses its place in the full list.
    ///
    /// It gains nothing, because by then all programs wait together.
    private var leastOfPrograms: Int? {
        byProgram.indices.min {
            (byProgram[$0].count.failures, byProgram[$0].count.last)
                < (byProgram[$1].count.failures, byProgram[$1].count.last)
        }
    }
}

/// The failures of one origin.
struct TryCount: Equatable, Sendable {
    var failures: UInt32 = 0
    /// The time of the last failure on the ``BootClock``.
    var last: UInt64 = 0

    mutating func fail(now: UInt64) {
        failures = failures == .max ? .max : failures + 1
        last = now
    }

    func delay(_ delays: TryDelays, now: UInt64) -> UInt64 {
        let whole = delays.delay(after: failures)
        // A time in the future cannot be genuine, so the delay restarts in full.
        let passed = now >= last ? now - last : 0
        return passed < whole ? whole - passed : 0
    }
}

/// The failures of one program, which securityd identifies by a digest.
struct ProgramTries: Equatable, Sendable {
    let program: Bytes16
    var count: TryCount
}

/// The delays of a try by the number of failures, in milliseconds.
struct TryDelays: Sendable {
    /// Ascending: from so many failures on, this delay.
    let steps: [(failures: UInt32, delay: UInt64)]

    private static let minute: UInt64 = 60_000

    /// For the agent's dialog, and for each program: Apple's steps.
    static let person = TryDelays(
        steps: [(EnclaveWire.triesBeforeDelay, 1 * minute), (6, 5 * minute), (7, 15 * minute), (9, 60 * minute)])
    /// For all programs together, since one program may start many others.
    static let programs = TryDelays(steps: [(20, 60 * minute)])

    func delay(after failures: UInt32) -> UInt64 { steps.last { $0.failures <= failures }?.delay ?? 0 }

    var failuresUntilLongest: UInt32 { steps.last?.failures ?? 0 }
}
