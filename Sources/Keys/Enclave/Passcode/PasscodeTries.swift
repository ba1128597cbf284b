import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// Counts the tries of one keybag's passcode, on disk before each is evaluated.
///
/// The counts of this process hold even if somebody replaces the file; the next try rewrites it. A caller that counts
/// holds the custodian's passcode turn; reading counts waits for no file.
final class PasscodeTries: Sendable {
    private struct State: Sendable {
        /// Nil until the counts are read, or begun.
        var counts: TryCounts?
        /// The last sequence given to a write; none is given twice.
        var sequence: UInt64 = 0
        /// The last sequence known to be on disk.
        var durable: UInt64 = 0
    }

    private let file: TriesFile
    private let name: String
    private let folder: StateFolder
    private let clock: BootClock
    private let state = AdaptiveMutex(State())

    /// - Parameter seen: the counts of this process from before the keybag was closed.
    init(_ file: TriesFile, name: String, in folder: StateFolder, clock: BootClock, seen: TryCounts?) {
        self.file = file
        self.name = name
        self.folder = folder
        self.clock = clock
        guard let seen else { return }
        state.withLock { $0 = State(counts: seen, sequence: seen.sequence, durable: 0) }
    }

    /// The counts; nil until they are loaded.
    var counts: TryCounts? { state.withLock { $0.counts } }

    /// The newest sequence known to be on disk.
    var durableSequence: UInt64 { state.withLock { $0.durable } }

    /// Reads the file, unless the counts are known.
    ///
    /// A keybag with a passcode always has a file of tries.
    ///
    /// - Parameter sequence: the sequence recorded in the keybag. A file with a lower one was put back.
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

    /// Reads the counts. A damaged file gives nil, and so the longest delay; an error of the system is thrown, since
    /// the file may be intact.
    private func read() throws(KeychainError) -> TryCounts? {
        do throws(KeychainError) {
            guard let content = try folder.read(name, limit: TriesFile.maximumBytes) else { return nil }
            return try file.decode(content)
        } catch {
            guard error.cause == .damage else { throw error }
            return nil
        }
    }

    /// Starts the counts for a first passcode, above the sequence that the keybag recorded for an earlier one.
    func begin(above sequence: UInt64) throws(KeychainError) {
        state.withLock { $0.sequence = max($0.sequence, sequence) }
        try save(TryCounts(bootID: clock.bootID))
    }

    /// The milliseconds until a try of this origin is evaluated.
    func delay(for origin: PasscodeOrigin) -> UInt64 { counts?.delay(for: origin, now: clock.now()) ?? 0 }

    /// Counts a try as failed; the count is on disk when the method returns.
    ///
    /// It returns the counts from before.
    func count(_ origin: PasscodeOrigin) throws(KeychainError) -> TryCounts {
        guard let former = counts else {
            throw KeychainError(.internalComponent, "a passcode is tried before its tries are known")
        }
        var counts = former
        counts.fail(origin, now: clock.now())
        try save(counts)
        return former
    }

    /// Resets the counts, because the last try was right.
    func succeed() { note(TryCounts(bootID: clock.bootID)) }

    /// Restores the counts, because the last try could not be evaluated.
    func takeBack(to former: TryCounts) { note(former) }

    private func save(_ counts: TryCounts) throws(KeychainError) {
        var counts = counts
        counts.sequence = state.withLock {
            $0.sequence += 1
            // If the write fails, whoever goes on with these counts must not give the number again.
            $0.counts?.sequence = $0.sequence
            return $0.sequence
        }
        try folder.write(name, try file.encode(counts), isReplacing: true)
        let saved = counts
        state.withLock {
            $0.counts = saved
            $0.durable = saved.sequence
        }
    }

    /// Sets the counts now, and writes them now or, if that fails, with the next try.
    ///
    /// Until then the file never shows fewer failures.
    private func note(_ counts: TryCounts) {
        state.withLock {
            $0.sequence = max($0.sequence, counts.sequence)
            $0.counts = counts
        }
        try? save(counts)
    }
}
