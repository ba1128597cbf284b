import ChatelaineModel
import EnclaveProtocol

/// How often a passcode was tried in vain since the right one, by whom, and how long the next try has to wait.
///
/// Programs are counted one by one and together, and apart from the agent's own dialog: no program can have the person wait.
struct TryCounts: Equatable, Sendable {
    /// Programs that are counted one by one. Together they have fewer tries than this before all of them wait.
    static let maximumPrograms = 32

    /// Grows with every writing: a file with a lower one is older.
    var sequence: UInt64 = 0
    /// The start of the machine in which ``TryCount/last`` is meant.
    var bootID: Bytes16
    var agent = TryCount()
    var programs = TryCount()
    /// Ascending by program, each with one failure or more.
    var byProgram: [ProgramTries] = []

    /// Milliseconds until a try of this origin is evaluated.
    func delay(for origin: PasscodeOrigin, now: UInt64) -> UInt64 {
        switch origin {
        case .agent: agent.delay(.person, now: now)
        case .program(let program):
            max(count(of: program).delay(.person, now: now), programs.delay(.programs, now: now))
        }
    }

    /// Failures of this origin since the last right passcode.
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

    /// After a start of the machine no clock says how much of a delay is over: each begins anew, as a whole.
    mutating func restart(bootID: Bytes16, now: UInt64) {
        self.bootID = bootID
        agent.last = now
        programs.last = now
        for index in byProgram.indices { byProgram[index].count.last = now }
    }

    /// What is assumed where the counts are missing, damaged or put back: the longest delay, for everybody.
    static func unknown(after sequence: UInt64, bootID: Bytes16, now: UInt64) -> TryCounts {
        var counts = TryCounts(sequence: sequence, bootID: bootID)
        counts.agent = TryCount(failures: TryDelays.person.failuresUntilLongest, last: now)
        counts.programs = TryCount(failures: TryDelays.programs.failuresUntilLongest, last: now)
        return counts
    }

    private func count(of program: Bytes16) -> TryCount {
        byProgram.first { $0.program == program }?.count ?? TryCount()
    }

    /// Who loses its place in the full list. Nothing is won by it: by then all programs wait for each other's failures.
    private var leastOfPrograms: Int? {
        byProgram.indices.min {
            (byProgram[$0].count.failures, byProgram[$0].count.last)
                < (byProgram[$1].count.failures, byProgram[$1].count.last)
        }
    }
}

/// Failures of one origin.
struct TryCount: Equatable, Sendable {
    var failures: UInt32 = 0
    /// When the last of them was, on the ``BootClock``.
    var last: UInt64 = 0

    mutating func fail(now: UInt64) {
        failures = failures == .max ? .max : failures + 1
        last = now
    }

    func delay(_ delays: TryDelays, now: UInt64) -> UInt64 {
        let whole = delays.delay(after: failures)
        // A time to come was written by nobody of ours: it begins anew.
        let passed = now >= last ? now - last : 0
        return passed < whole ? whole - passed : 0
    }
}

/// Failures of one program, which securityd names by a digest.
struct ProgramTries: Equatable, Sendable {
    let program: Bytes16
    var count: TryCount
}

/// How long a try waits after how many failures, in milliseconds.
struct TryDelays: Sendable {
    /// Ascending: so many failures or more, such a delay.
    let steps: [(failures: UInt32, delay: UInt64)]

    private static let minute: UInt64 = 60_000

    /// Of the agent's dialog, and of each program: Apple's steps.
    static let person = TryDelays(
        steps: [(EnclaveWire.triesBeforeDelay, 1 * minute), (6, 5 * minute), (7, 15 * minute), (9, 60 * minute)])
    /// Of all programs together: a program may start others, or be many, so that their number is bounded as well.
    static let programs = TryDelays(steps: [(20, 60 * minute)])

    func delay(after failures: UInt32) -> UInt64 { steps.last { $0.failures <= failures }?.delay ?? 0 }

    var failuresUntilLongest: UInt32 { steps.last?.failures ?? 0 }
}
