import CallerIdentity
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import Glibc
import StoreEngine
import SystemCalls

/// The file keychains of the daemon, by path: those that are unlocked, and those that something is being done with.
///
/// One that is locked and that nobody uses costs nothing: it is forgotten, and known again by its file. The lock of the registry is held for a
/// look into its list alone.
final class FileKeychainRegistry: Sendable {
    /// As many as the custodian has unlocked, and one for each connection of a user's.
    static let maximumKeychains = EnclaveWire.maximumKeychains + SessionLimits.connectionsPerUser

    /// Files of keychains elsewhere that are here at a time, each of which keeps its file system from being unmounted.
    static let maximumLent = 16

    /// Its count is read and changed under the lock of the registry alone.
    private final class Entry {
        let keychain: FileKeychainSlot
        var uses = 1

        init(_ keychain: FileKeychainSlot) { self.keychain = keychain }
    }

    private let folder: String
    let machine: MachineKeychains
    let places: FileKeychainPlaces
    private let enclave: EnclaveConnection
    let log: Log
    /// Who is told of what happens to them.
    let events: KeychainEventSubscriptions
    /// Seconds that go on while the machine sleeps.
    let clock: @Sendable () -> Double
    /// Which of them the passcode opens.
    let passcode = PasscodePassword()
    private let locker = KeychainLocker()
    private let entries = AdaptiveMutex<[KeychainPath: Entry]>([:])
    /// Held by whoever lends a file, so that there is room for it.
    private let lending = AdaptiveMutex<Void>(())

    /// - Parameters:
    ///   - folder: the one in which keychains lie.
    ///   - machine: those of the machine.
    init(
        folder: String, machine: MachineKeychains, places: FileKeychainPlaces, enclave: EnclaveConnection, log: Log,
        events: KeychainEventSubscriptions = KeychainEventSubscriptions(),
        clock: @escaping @Sendable () -> Double = StoreClock.secondsSinceBoot
    ) {
        (self.events, self.clock) = (events, clock)
        self.folder = folder
        self.machine = machine
        self.places = places
        self.enclave = enclave
        self.log = log
    }

    /// What a client has resolved, once more.
    ///
    /// - Throws: `errSecParam` for a path that is not resolved.
    func path(_ text: String) throws(KeychainError) -> KeychainPath {
        try KeychainPath(resolved: text, in: folder, machine: machine.folder)
    }

    /// Where a keychain was last open, for whoever has its name and no path; nil where nobody knows, and for what is no path of a keychain.
    func lastPath(of keychain: StoreIdentifier) throws(KeychainError) -> String? {
        let served = try machine.lastPath(of: keychain)
        guard let text = try served == nil ? places.lastPath(of: keychain) : served else { return nil }
        return (try? path(text))?.text
    }

    /// Does something with the keychain of a path, which is there for everybody who uses it meanwhile.
    func withKeychain<Answer>(
        at path: KeychainPath, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let entry = try take(path)
        defer { giveBack(entry) }
        return try body(entry.keychain)
    }

    /// Keeps the file of a keychain elsewhere for whoever unlocks or makes that next.
    ///
    /// - Throws: `errSecInvalidKeychain` where another file stands there, as securityd sees it; `errSecNoSuchKeychain` where none does.
    func lend(
        _ file: consuming Descriptor, _ folder: consuming Descriptor, at path: KeychainPath
    ) throws(KeychainError) {
        guard path.place == .elsewhere else {
            throw KeychainError(.param, "\(path.text) lies in a folder of keychains, and no program opens it")
        }
        let lent = try LentFile(file: file, folder: folder, path: path.text)
        guard let seen = try places.look(path.text) else {
            throw KeychainError(
                cause: .missing, status: .noSuchKeychain, "securityd sees no file at \(path.text), whatever others see")
        }
        guard seen == lent.identity else {
            throw KeychainError(
                .invalidKeychain, "another file stands at \(path.text) than the one that was opened; try again")
        }
        try lending.withLock { (_) throws(KeychainError) in
            try makeRoom(for: path)
            try withKeychain(at: path) { (keychain) throws(KeychainError) in keychain.lend(lent) }
        }
    }

    private func makeRoom(for path: KeychainPath) throws(KeychainError) {
        let others = entries.withLock { $0.values.map(\.keychain) }.filter { $0.path != path && $0.hasFile }
        guard others.count >= Self.maximumLent else { return }
        guard let idle = others.filter({ $0.keychain.isAtRest }).min(by: { $0.lentSince < $1.lentSince }) else {
            throw KeychainError(
                .notAvailable,
                "\(Self.maximumLent) keychains outside of \(self.folder) are unlocked already; lock one before another is used"
            )
        }
        try withKeychain(at: idle.path) { (keychain) throws(KeychainError) in keychain.dropFile() }
    }

    private func take(_ path: KeychainPath) throws(KeychainError) -> Entry {
        guard path.place != .systemRoots else { throw SystemRootsKeychain.unchangeable }
        let entry: Entry? = entries.withLock { entries -> Entry? in
            if let entry = entries[path] {
                entry.uses += 1
                return entry
            }
            guard entries.count < Self.maximumKeychains else { return nil }
            let keychain = FileKeychainSlot(
                path, folder: folder, machine: machine, places: places, enclave: enclave, passcode: passcode,
                events: events, log: log, clock: clock
            ) { [locker] in locker.ring() }
            let entry = Entry(keychain)
            entries[path] = entry
            return entry
        }
        guard let entry else {
            throw KeychainError(
                cause: .request, status: .notAvailable,
                "\(Self.maximumKeychains) keychains are in use already; lock one before another is used")
        }
        return entry
    }

    private func giveBack(_ entry: Entry) {
        entries.withLock { entries in
            entry.uses -= 1
            if entry.uses == 0, entry.keychain.isAtRest { entries[entry.keychain.path] = nil }
        }
    }

    /// Locks all of them: first their keys go, then their files are completed.
    ///
    /// - Parameter event: why; leaves those that are not to lock with it. Nil where somebody asked for it.
    /// - Throws: why keys of one did not go; those of all others have.
    func lockAll(because event: SystemEvent? = nil) throws(KeychainError) {
        var failure: KeychainError?
        let keychains = entries.withLock { $0.values.map(\.keychain) }.filter { $0.locks(with: event) }
        for keychain in keychains {
            do throws(KeychainError) { try keychain.dropKeys() } catch { failure = error }
        }
        for keychain in keychains {
            try? withKeychain(at: keychain.path) { (keychain) throws(KeychainError) in keychain.settle() }
        }
        if let failure { throw failure }
    }

    /// Those of the user's that are unlocked.
    var unlockedOfUser: [KeychainPath] {
        entries.withLock { $0.values.map(\.keychain) }.filter { !$0.path.isOfMachine && $0.keychain.isUnlocked }
            .map(\.path)
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
        let folders = [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
        self.init(
            stores: deployment.openKeychainsFolder, marks: deployment.keychainMarksFolder,
            look: { path throws(KeychainError) in try Self.file(at: path, outside: folders) })
    }

    /// Which file stands at a path that a program names; nil for none.
    ///
    /// - Throws: `errSecInvalidKeychain` for what nobody has to answer for, and for files of our own, which are no keychains elsewhere.
    static func file(at path: String, outside folders: [String]) throws(KeychainError) -> FileIdentity? {
        do throws(Errno) {
            let found = try LocalFile.look(at: path)
            guard !folders.contains(where: { LocalFile.canonical($0)?.holds(found.path) ?? false }) else {
                throw .notPermitted
            }
            return found.file
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return nil
            case EREMOTE:
                throw KeychainError(
                    .invalidKeychain,
                    "\(path) is on a file system that a program serves (FUSE); keep keychains on a disk")
            case ELOOP:
                throw KeychainError(
                    .invalidKeychain, "\(path) is no plain file; a keychain is one, and links to one are not followed")
            case EPERM:
                throw KeychainError(.invalidKeychain, "\(path) is a file of Chatelaine's own, and no keychain")
            default: throw KeychainError(system: error.code, path)
            }
        }
    }
}
