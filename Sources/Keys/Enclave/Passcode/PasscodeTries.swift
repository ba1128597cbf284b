import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// Counts the tries of one keybag's passcode, on disk before each is evaluated.
///
/// What this process has counted holds, whatever is put into the place of the file; the next try writes it again. Whoever counts has the
/// turn of the custodian; what is asked besides waits for no file.
final class PasscodeTries: Sendable {
    private struct State: Sendable {
        /// nil until they were read, or begun.
        var counts: TryCounts?
        /// That was given to a writing; none is given twice.
        var sequence: UInt64 = 0
        /// That is known to be on disk.
        var durable: UInt64 = 0
    }

    private let file: TriesFile
    private let name: String
    private let folder: StateFolder
    private let clock: BootClock
    private let state = AdaptiveMutex(State())

    /// - Parameter seen: what was counted in this process before the keybag was closed.
    init(_ file: TriesFile, name: String, in folder: StateFolder, clock: BootClock, seen: TryCounts?) {
        self.file = file
        self.name = name
        self.folder = folder
        self.clock = clock
        guard let seen else { return }
        state.withLock { $0 = State(counts: seen, sequence: seen.sequence, durable: 0) }
    }

    /// What was counted; nil where nobody asked yet.
    var counts: TryCounts? { state.withLock { $0.counts } }

    /// The newest sequence that is known to be on disk.
    var durableSequence: UInt64 { state.withLock { $0.durable } }

    /// Reads the file, unless it is known. A keybag that has a passcode has one.
    ///
    /// - Parameter sequence: what the keybag says that it had counted to.
    func load(atLeast sequence: UInt64) throws(KeychainError) {
        guard counts == nil else { return }
        let now = clock.now()
        let found = try read()
        if let found, found.sequence >= sequence {
            state.withLock { $0 = State(counts: found, sequence: found.sequence, durable: found.sequence) }
            guard found.bootID != clock.bootID || clock.bootID == BootClock.unknownBoot else { return }
            var restarted = found
            restarted.restart(bootID: clock.bootID, now: now)
            note(restarted)
        } else {
            note(.unknown(after: max(sequence, found?.sequence ?? 0), bootID: clock.bootID, now: now))
        }
    }

    /// Damage is no reason to fail, but to wait; what the system cannot read now may be whole.
    private func read() throws(KeychainError) -> TryCounts? {
        do throws(KeychainError) {
            guard let content = try folder.read(name, limit: TriesFile.maximumBytes) else { return nil }
            return try file.decode(content)
        } catch {
            guard error.cause == .damage else { throw error }
            return nil
        }
    }

    /// Begins to count for a first passcode, above what the keybag knows of an earlier one.
    func begin(above sequence: UInt64) throws(KeychainError) {
        state.withLock { $0.sequence = max($0.sequence, sequence) }
        try save(TryCounts(bootID: clock.bootID))
    }

    /// Milliseconds until a try of this origin is evaluated.
    func delay(for origin: PasscodeOrigin) -> UInt64 { counts?.delay(for: origin, now: clock.now()) ?? 0 }

    /// Counts a try as failed; on disk when it returns. The answer is what was counted before.
    func count(_ origin: PasscodeOrigin) throws(KeychainError) -> TryCounts {
        guard let former = counts else {
            throw KeychainError(.internalComponent, "a passcode is tried before its tries are known")
        }
        var counts = former
        counts.fail(origin, now: clock.now())
        try save(counts)
        return former
    }

    /// The try that was counted last was right.
    func succeed() { note(TryCounts(bootID: clock.bootID)) }

    /// The try that was counted last could not be evaluated.
    func takeBack(to former: TryCounts) { note(former) }

    private func save(_ counts: TryCounts) throws(KeychainError) {
        var counts = counts
        counts.sequence = state.withLock {
            $0.sequence += 1
            return $0.sequence
        }
        try folder.write(name, try file.encode(counts), isReplacing: true)
        let saved = counts
        state.withLock {
            $0.counts = saved
            $0.durable = saved.sequence
        }
    }

    /// Holds from now on, and is written now or, where that fails, with the next try. What the file then has is no less.
    private func note(_ counts: TryCounts) {
        state.withLock {
            $0.counts = counts
            $0.sequence = max($0.sequence, counts.sequence)
        }
        try? save(counts)
    }
}
