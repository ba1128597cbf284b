import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import Glibc
import StoreEngine
import SystemCalls

/// The file keychains of the daemon, by path: those that are unlocked, and those that are in use.
///
/// A locked keychain that nobody uses costs nothing: the registry drops it, and finds it again by its file. The lock of
/// the registry is held only for a look into its list.
final class FileKeychainRegistry: Sendable {
    /// The keychains at a time: as many as the custodian unlocks, and one for each connection of a user.
    static let maximumKeychains = EnclaveWire.maximumKeychains + SessionLimits.connectionsPerUser

    /// The open files of keychains elsewhere at a time.
    ///
    /// Each keeps its file system from being unmounted.
    static let maximumLent = 16

    /// The count is accessed only under the lock of the registry.
    private final class Entry {
        let keychain: FileKeychainSlot
        /// The path of a keychain elsewhere without links, as it was when its use began.
        let canonical: String?
        var uses = 1

        init(_ keychain: FileKeychainSlot, _ canonical: String?) {
            (self.keychain, self.canonical) = (keychain, canonical)
        }
    }

    private let folder: String
    let machine: MachineKeychains
    let places: FileKeychainPlaces
    private let enclave: EnclaveConnection
    let log: Log
    /// The subscriptions to events of these keychains.
    let events: KeychainEventSubscriptions
    /// Seconds that go on while the machine sleeps.
    let clock: @Sendable () -> Double
    /// Notes which of these keychains the passcode opens.
    let passcode = PasscodePassword()
    private let locker = KeychainLocker()
    /// Hears of right passwords that were given in another way than in a dialog.
    private let listener = AdaptiveMutex<(@Sendable (KeychainPath) -> Void)?>(nil)
    private let entries = AdaptiveMutex<[KeychainPath: Entry]>([:])
    /// Held while a file is lent, so that the room for it stays free.
    private let lending = AdaptiveMutex<Void>(())

    /// Makes a registry that has nothing open.
    ///
    /// - Parameters:
    ///   - folder: the folder in which keychains lie.
    ///   - machine: the keychains of the machine.
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

    /// Has `body` hear of each keychain that was made, or was opened by a password from elsewhere than a dialog.
    func whenOpened(_ body: @escaping @Sendable (KeychainPath) -> Void) { listener.withLock { $0 = body } }

    func noteOpening(of path: KeychainPath) { listener.withLock { $0 }?(path) }

    /// Checks a path that a client has resolved.
    ///
    /// - Throws: `errSecParam` for a path that is not resolved.
    func path(_ text: String) throws(KeychainError) -> KeychainPath {
        try KeychainPath(resolved: text, in: folder, machine: machine.folder)
    }

    /// The path at which a keychain was last open, found by its name.
    ///
    /// Nil where no path is known, and where the path is not one of a keychain.
    func lastPath(of keychain: StoreIdentifier) throws(KeychainError) -> String? {
        let served = try machine.lastPath(of: keychain)
        guard let text = try served == nil ? places.lastPath(of: keychain) : served else { return nil }
        return (try? path(text))?.text
    }

    /// Runs `body` with the keychain of a path.
    ///
    /// All concurrent users of a path get the same object.
    func withKeychain<Answer>(
        at path: KeychainPath, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let entry = try take(path)
        defer { giveBack(entry) }
        return try body(entry.keychain)
    }

    /// Keeps the file of a keychain elsewhere for the request that unlocks or makes the keychain next.
    ///
    /// - Throws: `errSecInvalidKeychain` where securityd sees another file at the path; `errSecNoSuchKeychain` where it
    ///   sees none.
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
            try makeRoom(for: pathInUse(for: path))
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

    private func take(_ named: KeychainPath) throws(KeychainError) -> Entry {
        guard named.place != .systemRoots else { throw SystemRootsKeychain.unchangeable }
        let path = pathInUse(for: named)
        let canonical = isInUse(path) ? nil : Self.canonical(path)
        let entry: Entry? = entries.withLock { entries -> Entry? in
            if let entry = entries[path] {
                entry.uses += 1
                return entry
            }
            guard entries.count < Self.maximumKeychains else { return nil }
            let keychain = FileKeychainSlot(
                path, folder: folder, machine: machine, places: places, enclave: enclave, passcode: passcode,
                events: events, log: log, clock: clock, timed: { [locker] in locker.ring() },
                noteOpening: { [weak self] in self?.noteOpening(of: path) })
            let entry = Entry(keychain, canonical)
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

    /// The path under which a keychain elsewhere is in use, if that is another one: links in folders give it several.
    ///
    /// A shell's own name of the working folder is one with links, and what a program makes of `./x` is one without.
    /// Only the named path is looked at: another one may lie on a share that does not answer.
    private func pathInUse(for path: KeychainPath) -> KeychainPath {
        guard path.place == .elsewhere else { return path }
        let hasOthers = entries.withLock { entries in
            entries[path] == nil && entries.keys.contains { $0.place == .elsewhere }
        }
        guard hasOthers, let canonical = Self.canonical(path) else { return path }
        return entries.withLock { $0.first { $0.value.canonical == canonical }?.key } ?? path
    }

    private func isInUse(_ path: KeychainPath) -> Bool { entries.withLock { $0[path] != nil } }

    /// The path without links; nil for one in our folders, and where the folder cannot be looked at.
    private static func canonical(_ path: KeychainPath) -> String? {
        guard path.place == .elsewhere, let folder = LocalFile.canonical(KeychainFile.folder(of: path.text)) else {
            return nil
        }
        return (folder.text == "/" ? "" : folder.text) + "/" + KeychainFile.name(of: path.text)
    }

    private func giveBack(_ entry: Entry) {
        entries.withLock { entries in
            entry.uses -= 1
            if entry.uses == 0, entry.keychain.isAtRest { entries[entry.keychain.path] = nil }
        }
    }

    /// Locks all file keychains.
    ///
    /// First their keys are dropped, then their files are completed.
    ///
    /// - Throws: why the keys of one keychain were not dropped; those of all others were.
    func lockAll() throws(KeychainError) {
        let keychains = entries.withLock { $0.values.map(\.keychain) }
        defer {
            for keychain in keychains {
                try? withKeychain(at: keychain.path) { (keychain) throws(KeychainError) in keychain.settle() }
            }
        }
        try forEach(keychains) { (keychain) throws(KeychainError) in try keychain.dropKeys() }
    }

    /// Locks the file keychains that lock with an event of the system.
    ///
    /// On return their keys are gone. Their files are completed on other threads: that may take long, and the next
    /// event must not wait for it.
    ///
    /// - Throws: as ``lockAll()``.
    func lock(because event: SystemEvent) throws(KeychainError) {
        let keychains = entries.withLock { $0.values.map(\.keychain) }.filter { $0.locks(with: event) }
        defer { settle(keychains.map(\.path), Self.onThread) }
        try forEach(keychains) { (keychain) throws(KeychainError) in try keychain.dropKeysToSettle() }
    }

    /// Does something with each keychain, also after a failure; throws the last one.
    private func forEach(
        _ keychains: [FileKeychainSlot], _ body: (FileKeychainSlot) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        var failure: KeychainError?
        for keychain in keychains { do throws(KeychainError) { try body(keychain) } catch { failure = error } }
        if let failure { throw failure }
    }

    /// Completes the files of keychains whose keys were dropped.
    private func settle(_ paths: [KeychainPath], _ run: (@escaping @Sendable () -> Void) -> Void) {
        for path in paths {
            run { [self] in
                try? withKeychain(at: path) { (keychain) throws(KeychainError) in keychain.settleWhatIsDue() }
            }
        }
    }

    /// Runs something on a thread of its own, or on this one where none can be had.
    static func onThread(_ body: @escaping @Sendable () -> Void) { if !Worker.start(body) { body() } }

    /// The unlocked keychains of the user.
    var unlockedOfUser: [KeychainPath] {
        entries.withLock { $0.values.map(\.keychain) }.filter { !$0.path.isOfMachine && $0.keychain.isUnlocked }
            .map(\.path)
    }

    // MARK: Locking by themselves

    /// Starts the thread that locks keychains that are idle for as long as their settings say.
    ///
    /// False where no thread can be had.
    func startLocking() -> Bool { locker.start(self) }

    /// Locks the keychains whose time is over.
    ///
    /// First the keys of all of them are dropped. Then each file is completed, which may wait for whoever reads it.
    ///
    /// - Parameter run: runs the completion of one file; `lockIdle` waits for it by default.
    func lockIdle(completing run: (@escaping @Sendable () -> Void) -> Void = { $0() }) {
        let now = clock()
        let due = entries.withLock { $0.values.map(\.keychain) }.filter { $0.deadline.map { now >= $0 } ?? false }
        var dropped: [KeychainPath] = []
        for keychain in due {
            try? withKeychain(at: keychain.path) { (keychain) throws(KeychainError) in
                if keychain.dropIdleKeys() { dropped.append(keychain.path) }
            }
        }
        settle(dropped, run)
    }

    /// When the next keychain has to lock; nil where none has to.
    var nextDeadline: Double? { entries.withLock { $0.values.map(\.keychain) }.compactMap(\.deadline).min() }

    // MARK: The end

    /// Locks all file keychains when the daemon ends.
    ///
    /// The next daemon repairs what fails.
    func end() {
        do throws(KeychainError) { try lockAll() } catch {
            log.error("file keychains did not lock", ["reason": error.reason])
        }
    }

    /// Locks the keychains whose keys went with a custodian.
    ///
    /// It uses a thread of its own, since the caller may be at work on one of them.
    func noteEndOfCustodian() {
        let keychains = entries.withLock { $0.values.map(\.keychain.path) }
        guard !keychains.isEmpty else { return }
        let isStarted = Worker.start { [self] in
            for path in keychains {
                try? withKeychain(at: path) { (keychain) throws(KeychainError) in try keychain.refresh() }
            }
        }
        // The next request for a keychain notices by itself.
        if !isStarted { log.error("no thread can be had to lock file keychains") }
    }

    /// How many keychains are in the list, for tests.
    var count: Int { entries.withLock { $0.count } }
}

extension FileKeychainPlaces {
    init(_ deployment: Deployment) {
        let folders = [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
        self.init(
            stores: deployment.openKeychainsFolder, marks: deployment.keychainMarksFolder,
            look: { path throws(KeychainError) in try Self.file(at: path, outside: folders) })
    }

    /// The file at a path that a program names; nil for none.
    ///
    /// - Throws: `errSecInvalidKeychain` for a file on a file system that a program serves, for anything but a plain
    ///   file, and for Chatelaine's own files.
    static func file(at path: String, outside folders: [String]) throws(KeychainError) -> FileIdentity? {
        let found: (path: CanonicalPath, file: FileIdentity)
        do throws(Errno) { found = try LocalFile.look(at: path) } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else { throw KeychainError(keychainFile: error.code, path) }
            return nil
        }
        guard !folders.contains(where: { LocalFile.canonical($0)?.holds(found.path) ?? false }) else {
            throw KeychainError(.invalidKeychain, "\(path) is a file of Chatelaine's own, and no keychain")
        }
        return found.file
    }
}
