import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import StoreEngine
import SystemCalls

/// The file keychains of the daemon, by path: those that are unlocked, and those that something is being done with.
///
/// One that is locked and that nobody uses costs nothing: it is forgotten, and known again by its file. The lock of the registry is held for a
/// look into its list alone.
final class FileKeychainRegistry: Sendable {
    /// As many as the custodian has unlocked, and one for each connection of a user's.
    static let maximumKeychains = EnclaveWire.maximumKeychains + SessionLimits.connectionsPerUser

    private struct Entry {
        let keychain: FileKeychainSlot
        var uses = 0
    }

    private let folder: String
    private let places: FileKeychainPlaces
    private let enclave: EnclaveConnection
    private let log: Log
    /// Who is told of what happens to them.
    let events: KeychainEventSubscriptions
    /// Seconds that go on while the machine sleeps.
    let clock: @Sendable () -> Double
    private let locker = KeychainLocker()
    private let entries = AdaptiveMutex<[KeychainPath: Entry]>([:])

    /// - Parameter folder: the one in which keychains lie.
    init(
        folder: String, places: FileKeychainPlaces, enclave: EnclaveConnection, log: Log,
        events: KeychainEventSubscriptions = KeychainEventSubscriptions(),
        clock: @escaping @Sendable () -> Double = StoreClock.secondsSinceBoot
    ) {
        (self.events, self.clock) = (events, clock)
        self.folder = folder
        self.places = places
        self.enclave = enclave
        self.log = log
    }

    /// What a client has resolved, once more.
    ///
    /// - Throws: `errSecParam` for a path that is not resolved, `errSecUnimplemented` for one elsewhere.
    func path(_ text: String) throws(KeychainError) -> KeychainPath {
        let path = try KeychainPath(resolved: text, in: folder)
        guard path.isInFolder else {
            throw KeychainError(
                .unimplemented,
                "\(text) lies outside of \(folder): this version keeps keychains in that folder alone; give a name without a path"
            )
        }
        return path
    }

    /// Does something with the keychain of a path, which is there for everybody who uses it meanwhile.
    func withKeychain<Answer>(
        at path: KeychainPath, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let keychain = try take(path)
        defer { giveBack(path) }
        return try body(keychain)
    }

    private func take(_ path: KeychainPath) throws(KeychainError) -> FileKeychainSlot {
        let keychain: FileKeychainSlot? = entries.withLock { entries -> FileKeychainSlot? in
            if let entry = entries[path] {
                entries[path]?.uses += 1
                return entry.keychain
            }
            guard entries.count < Self.maximumKeychains else { return nil }
            let keychain = FileKeychainSlot(
                path, folder: folder, places: places, enclave: enclave, events: events, log: log, clock: clock
            ) { [locker] in locker.ring() }
            entries[path] = Entry(keychain: keychain, uses: 1)
            return keychain
        }
        guard let keychain else {
            throw KeychainError(
                cause: .request, status: .notAvailable,
                "\(Self.maximumKeychains) keychains are in use already; lock one before another is used")
        }
        return keychain
    }

    private func giveBack(_ path: KeychainPath) {
        entries.withLock { entries in
            guard var entry = entries[path] else { return }
            entry.uses -= 1
            entries[path] = entry.uses == 0 && entry.keychain.isAtRest ? nil : entry
        }
    }

    /// Locks all of them: first their keys go, then their files are completed.
    ///
    /// - Parameter isSleep: leaves those that are not to lock when the machine goes to sleep.
    /// - Throws: why keys of one did not go; those of all others have.
    func lockAll(isSleep: Bool = false) throws(KeychainError) {
        var failure: KeychainError?
        let keychains = entries.withLock { $0.values.map(\.keychain) }.filter { !isSleep || $0.locksOnSleep }
        for keychain in keychains {
            do throws(KeychainError) { try keychain.dropKeys() } catch { failure = error }
        }
        for keychain in keychains {
            try? withKeychain(at: keychain.path) { (keychain) throws(KeychainError) in keychain.settle() }
        }
        if let failure { throw failure }
    }

    // MARK: Locking by themselves

    /// Has those locked that nobody uses for as long as their settings say; false where no thread can be had for it.
    func startLocking() -> Bool { locker.start(self) }

    func lockIdle() {
        let now = clock()
        for keychain in entries.withLock({ $0.values.map(\.keychain) })
        where keychain.deadline.map({ now >= $0 }) ?? false {
            try? withKeychain(at: keychain.path) { (keychain) throws(KeychainError) in keychain.lockIfIdle() }
        }
    }

    /// When the first of them is to lock; nil where none is.
    var nextDeadline: Double? { entries.withLock { $0.values.map(\.keychain) }.compactMap(\.deadline).min() }

    // MARK: The end

    /// Locks all of them when the daemon ends. What fails is found by the next one.
    func end() {
        do throws(KeychainError) { try lockAll() } catch {
            log.error("file keychains did not lock", ["reason": error.reason])
        }
    }

    /// Locks those whose keys went with a custodian; on a thread of its own, since whoever notices that may be at work on one of them.
    func noteEndOfCustodian() {
        let keychains = entries.withLock { $0.values.map(\.keychain.path) }
        guard !keychains.isEmpty else { return }
        let isStarted = Worker.start { [self] in
            for path in keychains {
                try? withKeychain(at: path) { (keychain) throws(KeychainError) in try keychain.refresh() }
            }
        }
        // Whoever asks for one finds out by itself.
        if !isStarted { log.error("no thread can be had to lock file keychains") }
    }

    /// How many there are, for tests.
    var count: Int { entries.withLock { $0.count } }
}

extension FileKeychainPlaces {
    init(_ deployment: Deployment) {
        self.init(stores: deployment.openKeychainsFolder, marks: deployment.keychainMarksFolder)
    }
}
