import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import Glibc
import ItemStore
import Synchronization
import SystemCalls

/// Opens the store when it is first needed, and again with the next request where it could not be opened.
///
/// So a full disk or a wrong permission is an answer with its reason, and no daemon that does not start. A store that is
/// taken away while it is open is not used on: what is written to a file that nobody finds again is lost. Back in its
/// place it serves on, and another in its place is opened. One that turns out to be damaged is closed and opened as such,
/// which sets it aside (``ItemStore``).
final class KeychainOpener: Sendable {
    private let deployment: Deployment
    private let user: uid_t
    private let enclave: EnclaveConnection
    private let sandbox: DaemonSandbox
    private let log: Log
    private let database: String
    private let opened = Mutex<OpenedKeychain?>(nil)
    /// When the store was last seen in its place.
    private let lastGlance = Atomic<Int64>(.min / 2)
    private static let glanceMilliseconds: Int64 = 20
    /// How often a store was closed to be replaced by another.
    private let replaced = Atomic<Int>(0)
    /// Whether the store that was closed last is damaged; known until another is open in its place, however often that fails.
    private let isDamaged = Atomic<Bool>(false)
    /// When the work began that holds the lock and may take long, or 0.
    private let busySince = Atomic<Int>(0)

    init(deployment: Deployment, user: uid_t, enclave: EnclaveConnection, sandbox: DaemonSandbox, log: Log) {
        self.deployment = deployment
        self.user = user
        self.enclave = enclave
        self.sandbox = sandbox
        self.log = log
        database = ItemStore.database(in: deployment.storeFolder)
    }

    /// The open keychain for a look-up, which shows the same whether its store is still in its place or was just taken
    /// away: so the place is looked at every ``glanceMilliseconds`` only.
    func keychainForReading() throws(KeychainError) -> OpenedKeychain {
        let now = MonotonicClock.coarseMilliseconds
        if now - lastGlance.load(ordering: .relaxed) <= Self.glanceMilliseconds, let opened = opened.withLock({ $0 }),
            !opened.store.needsReopening
        {
            return opened
        }
        let keychain = try keychain()
        lastGlance.store(now, ordering: .relaxed)
        return keychain
    }

    /// The open keychain; throws why it cannot be opened.
    func keychain() throws(KeychainError) -> OpenedKeychain {
        if let opened = opened.withLock({ $0 }), !opened.store.needsReopening, try isInPlace(opened) { return opened }
        let result: Result<OpenedKeychain, KeychainError> = opened.withLock { opened in
            Result { () throws(KeychainError) in
                // Another thread may have opened it meanwhile.
                if let opened, !opened.store.needsReopening, try isInPlace(opened) { return opened }
                // What is acknowledged from now on is to be found in what is opened.
                if let present = opened {
                    present.store.retire()
                    replaced.add(1, ordering: .releasing)
                    isDamaged.store(present.store.isDamaged, ordering: .relaxed)
                }
                // Its connections close before others open, with whatever lock the system did not release.
                opened = nil
                let keychain = try open(isDamaged: isDamaged.load(ordering: .relaxed))
                isDamaged.store(false, ordering: .relaxed)
                opened = keychain
                return keychain
            }
        }
        return try result.get()
    }

    /// The judge of the keychain that was last opened; enough where ``keychain()`` has been asked for this request.
    func judge() throws(KeychainError) -> ExecutableJudge {
        if let opened = opened.withLock({ $0 }) { return opened.judge }
        return try keychain().judge
    }

    private func isInPlace(_ opened: OpenedKeychain) throws(KeychainError) -> Bool {
        if let file = FileIdentity(at: database) { return file == opened.file }
        let reason = SystemFailure(errno).words
        throw KeychainError(
            .notAvailable,
            "the item store \(deployment.storeFolder) was taken away while it was in use (\(reason)): put it back, or end "
                + "securityd to go on with its newest snapshot, or with an empty store where there is none")
    }

    /// How long opening a large store may take, in seconds: one that is copied before its format changes, or gone
    /// through because it is damaged.
    private static let patience = 600

    /// Whether the lock that every request passes is free within reason; a watchdog wants to know.
    var isResponsive: Bool {
        let busy = busySince.load(ordering: .relaxed)
        if busy > 0, MonotonicClock.seconds - busy < Self.patience { return true }
        for _ in 0..<50 {
            if opened.withLockIfAvailable({ _ in true }) != nil { return true }
            usleep(100_000)
        }
        return false
    }

    /// How often a store was closed to be replaced by another.
    var replacements: Int { replaced.load(ordering: .acquiring) }

    /// Whether a store that was asked after so many replacements is no more, or is about to be replaced: a failure is
    /// worth a second try then.
    func isOutdated(since replacements: Int) -> Bool {
        self.replacements != replacements || opened.withLock { $0?.store.needsReopening ?? false }
    }

    var snapshots: StoreSnapshots { StoreSnapshots(folder: deployment.storeFolder, mark: deployment.markFile) }

    /// Makes a snapshot the store; the present one, open or not, is kept aside.
    func restore(_ name: String) throws(KeychainError) -> StoreSnapshots.Restoration {
        try restoring.withLock { (_) throws(KeychainError) in
            let log = log
            let draft = try snapshots.prepare(name, keys: EnclaveKeySource(enclave: enclave))
            let result: Result<StoreSnapshots.Restoration, KeychainError> = opened.withLock { opened in
                Result { () throws(KeychainError) in
                    let present = opened?.store
                    // Whatever happens: it takes no more changes, and what is in its place is opened.
                    if let present { isDamaged.store(present.isDamaged, ordering: .relaxed) }
                    opened = nil
                    replaced.add(1, ordering: .releasing)
                    let restoration = try snapshots.activate(draft, replacing: present) { log.report($0) }
                    isDamaged.store(false, ordering: .relaxed)
                    return restoration
                }
            }
            return try result.get()
        }
    }

    private let restoring = Mutex<Void>(())

    private func open(isDamaged: Bool) throws(KeychainError) -> OpenedKeychain {
        guard sandbox.isInPlace else {
            // This process may not write to them; whoever asks gets another daemon, which may.
            log.notice("securityd ends: other folders stand in the place of its own")
            exit(0)
        }
        busySince.store(MonotonicClock.seconds, ordering: .relaxed)
        defer { busySince.store(0, ordering: .relaxed) }
        do throws(KeychainError) {
            let log = log
            try RuntimeFolder(deployment.stateFolder).prepareUnshared()
            try RuntimeFolder(deployment.dataFolder).prepareUnshared()
            let marks = RuntimeFolder(deployment.stateFolder + "/stores")
            try marks.prepare()
            try marks.settle()
            let store = try ItemStore(
                folder: deployment.storeFolder, mark: deployment.markFile, keys: EnclaveKeySource(enclave: enclave),
                isDamaged: isDamaged,
                log: { log.report($0) })
            StoreKeeper.start(store, log: log)
            guard let file = FileIdentity(at: database) else { throw KeychainError(system: errno, database) }
            let folder = deployment.stateFolder + "/identity"
            try RuntimeFolder(folder).prepare()
            try RuntimeFolder(folder).settle()
            // Digests of programs were kept there once (identity-files.md).
            for name in ["digests", "digests.new", "digests.damaged"] { unlink("\(folder)/\(name)") }
            // A list of the first version is taken in once. Whoever puts one back later has no key that opens it.
            let isTakenIn = try store.notedLedgerGeneration() > 0
            let ledger = try ApplicationLedger(
                folder: folder, key: store.keys[.applications], formerKey: isTakenIn ? nil : store.keys[.record],
                user: user, onSave: { [weak store] in store?.noteLedger(generation: $0) })
            store.noteLedger(generation: ledger.generation)
            return OpenedKeychain(
                store: store,
                judge: ExecutableJudge(
                    reference: try ReferenceNamespaces.own(), ledger: ledger, digests: DigestCache(),
                    sharedPaths: Self.sharedPrograms()),
                ledger: ledger, file: file)
        } catch {
            log.error("the keychain cannot be opened", ["status": "\(error.status)", "reason": error.reason])
            throw error
        }
    }

    /// The command line serves whoever runs it, wherever it was installed beside us.
    private static func sharedPrograms() -> Set<CanonicalPath> {
        let folder = ProgramFolder.ofThisProcess
        let candidates: [String] = ["\(folder)/security", "\(folder)/../../bin/security"]
        return Set(
            candidates.compactMap { path in
                realpath(path, nil).flatMap { resolved in
                    defer { free(resolved) }
                    return CanonicalPath(String(cString: resolved))
                }
            })
    }
}

extension Log {
    func report(_ event: StoreEvent) { warning("item store: \(event)") }
}
