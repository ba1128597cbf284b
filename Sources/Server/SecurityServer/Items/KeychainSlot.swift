import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine
import Synchronization
import SystemCalls

/// One keychain in the ``KeychainRegistry``: opens its store when it is first needed, and again with the next request where
/// it could not be opened.
///
/// So a full disk or a wrong permission is an answer with its reason, and no daemon that does not start. A store that is
/// taken away while it is open is not used on: what is written to a file that nobody finds again is lost. Back in its
/// place it serves on, and another in its place is opened. One that turns out to be damaged is closed and opened as such,
/// which sets it aside (``ItemStore``).
///
/// Nothing in here is shared with another keychain: whoever waits for the lock of a slot waits for that keychain alone.
package final class KeychainSlot: Sendable {
    /// What an attempt to open a keychain comes to.
    enum Outcome {
        case opened(OpenedKeychain)
        case failed(KeychainError)
        /// Other folders stand in the place of those that this process may write to; another process can.
        case displaced
    }

    /// What a keychain needs of the daemon around it.
    package struct Surroundings: Sendable {
        let log: Log
        package var clock = StoreClock.system
        /// Keeps an open store, on a thread of its own, until it is retired.
        package var maintain: @Sendable (ItemStore, KeychainName) -> Void
        /// Told what people should hear of, besides the log.
        package var report: @Sendable (StoreEvent) -> Void = { _ in }
        /// Whether this process may still write to what stands at the paths of its folders.
        package var isInPlace: @Sendable () -> Bool = { true }
        /// Told once nothing can be opened by this process any more, by whoever asked; may end the process.
        package var whenDisplaced: @Sendable () -> Void = {}
        /// Makes what has to be there before a store is opened.
        package var prepare: @Sendable () throws(KeychainError) -> Void = {}
        /// Told when items may be others than before by no request of a program: another state of the store is open, or rows were set
        /// aside, recovered or put back. May be called with the lock of the slot held, and waits for nobody.
        package var whenItemsMayDiffer: @Sendable () -> Void = {}
        /// Opens what depends on the store, as a part of its opening.
        package var attach: @Sendable (ItemStore) throws(KeychainError) -> Void = { _ in }

        package init(log: Log) {
            self.log = log
            maintain = { store, name in StoreMaintenance.start(store, of: name, log: log) }
        }

        func note(_ event: StoreEvent, of keychain: KeychainName) {
            log.report(event, of: keychain)
            report(event)
            if event.mayChangeItems { whenItemsMayDiffer() }
        }
    }

    private struct State {
        var opened: OpenedKeychain?
        /// Whether the store that was closed last is damaged; known until another is open in its place, however often that fails.
        var isDamaged = false
        /// The store that was open last, whose keybag is.
        var lastStore: StoreIdentifier?
        /// How often another state took the place of the store: a snapshot, or another folder. No recovery does.
        var epoch = 0
        /// Out of the registry: nothing is opened any more.
        var isClosed = false
    }

    let name: KeychainName
    private let folder: String
    private let mark: String
    private let keys: any KeychainKeySource
    private let surroundings: Surroundings
    private let database: String
    private let state = AdaptiveMutex(State())
    private let restoring = AdaptiveMutex<Void>(())
    /// When the store was last seen in its place.
    private let lastGlance = Atomic<Int64>(.min / 2)
    private static let glanceMilliseconds: Int64 = 20
    /// How often a store was closed to be replaced by another.
    private let replaced = Atomic<Int>(0)
    /// When the work began that holds the lock and may take long, or 0.
    private let busySince = Atomic<Int>(0)

    package init(
        _ name: KeychainName, folder: String, mark: String, keys: any KeychainKeySource, _ surroundings: Surroundings
    ) {
        self.name = name
        self.folder = folder
        self.mark = mark
        self.keys = keys
        self.surroundings = surroundings
        database = ItemStore.database(in: folder)
    }

    /// The open keychain for a look-up, which shows the same whether its store is still in its place or was just taken
    /// away: so the place is looked at every ``glanceMilliseconds`` only.
    func keychainForReading() throws(KeychainError) -> OpenedKeychain {
        let now = MonotonicClock.coarseMilliseconds
        if now - lastGlance.load(ordering: .relaxed) <= Self.glanceMilliseconds,
            let opened = state.withLock({ $0.opened }),
            !opened.store.needsReopening
        {
            return opened
        }
        let keychain = try keychain()
        lastGlance.store(now, ordering: .relaxed)
        return keychain
    }

    /// The open keychain; throws why it cannot be opened.
    package func keychain() throws(KeychainError) -> OpenedKeychain {
        if let opened = state.withLock({ $0.opened }), !opened.store.needsReopening, try isInPlace(opened) {
            return opened
        }
        switch state.withLock({ replace(&$0) }) {
        case .opened(let keychain): return keychain
        case .failed(let error): throw error
        case .displaced:
            surroundings.whenDisplaced()
            throw KeychainError(
                .notAvailable,
                "other folders stand in the place of those that this securityd may write to: end it, and the next call "
                    + "starts another")
        }
    }

    /// The open keychain, if it is open and nobody is about to change that; opens nothing and waits for nobody.
    var present: OpenedKeychain? { state.withLockIfAvailable { $0.opened } ?? nil }

    /// Opens what is to be open, under the lock.
    private func replace(_ state: inout State) -> Outcome {
        do throws(KeychainError) {
            guard !state.isClosed else {
                throw KeychainError(.notAvailable, "the keychain \(name) was closed while it was asked for")
            }
            // Another thread may have opened it meanwhile.
            if let opened = state.opened, !opened.store.needsReopening, try isInPlace(opened) { return .opened(opened) }
        } catch {
            return .failed(error)
        }
        // What is acknowledged from now on is to be found in what is opened.
        if let present = state.opened {
            // Damage alone changes no row; what somebody put in its place may.
            if (try? isInPlace(present)) != true { state.epoch += 1 }
            state.isDamaged = present.store.isDamaged
            present.store.retire()
            replaced.add(1, ordering: .releasing)
        }
        // Its connections close before others open, with whatever lock the system did not release.
        state.opened = nil
        let outcome = open(isDamaged: state.isDamaged, epoch: state.epoch)
        if case .opened(let keychain) = outcome {
            let store = keychain.store.identifier
            if let last = state.lastStore, last != store { keys.closeStore(last) }
            state.lastStore = store
            state.isDamaged = false
            state.opened = keychain
            surroundings.whenItemsMayDiffer()
        }
        return outcome
    }

    private func isInPlace(_ opened: OpenedKeychain) throws(KeychainError) -> Bool {
        if let file = FileIdentity(at: database) { return file == opened.file }
        let reason = SystemFailure(errno).words
        throw KeychainError(
            .notAvailable,
            "the item store \(folder) was taken away while it was in use (\(reason)): put it back, or end "
                + "securityd to go on with its newest snapshot, or with an empty store where there is none")
    }

    private func open(isDamaged: Bool, epoch: Int) -> Outcome {
        guard surroundings.isInPlace() else { return .displaced }
        busySince.store(MonotonicClock.seconds, ordering: .relaxed)
        defer { busySince.store(0, ordering: .relaxed) }
        let (log, name) = (surroundings.log, name)
        do throws(KeychainError) {
            try surroundings.prepare()
            let surroundings = surroundings
            let store = try ItemStore(
                folder: folder, mark: mark, keys: keys, clock: surroundings.clock, isDamaged: isDamaged,
                log: { surroundings.note($0, of: name) })
            surroundings.maintain(store, name)
            guard let file = FileIdentity(at: database) else { throw KeychainError(system: errno, database) }
            try surroundings.attach(store)
            return .opened(OpenedKeychain(store: store, file: file, epoch: epoch))
        } catch {
            log.error(
                "the keychain cannot be opened",
                ["keychain": name.text, "status": "\(error.status)", "reason": error.reason])
            return .failed(error)
        }
    }

    /// Takes no more requests, and lets go of store and keys; those that are under way end with what they have.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.opened?.store.retire()
            state.opened = nil
            if let last = state.lastStore { keys.closeStore(last) }
            state.lastStore = nil
            replaced.add(1, ordering: .releasing)
        }
    }

    // MARK: A second try

    /// How often a store was closed to be replaced by another.
    var replacements: Int { replaced.load(ordering: .acquiring) }

    /// Whether a store that was asked after so many replacements is no more, or is about to be replaced: a failure is
    /// worth a second try then.
    func isOutdated(since replacements: Int) -> Bool {
        self.replacements != replacements || state.withLock { $0.opened?.store.needsReopening ?? false }
    }

    // MARK: Snapshots

    package var snapshots: StoreSnapshots {
        StoreSnapshots(folder: folder, mark: mark, clock: surroundings.clock)
    }

    /// Makes a snapshot the store; the present one, open or not, is kept aside.
    package func restore(_ snapshot: String) throws(KeychainError) -> StoreSnapshots.Restoration {
        try restoring.withLock { (_) throws(KeychainError) in
            let (surroundings, name) = (surroundings, name)
            let draft = try snapshots.prepare(snapshot, keys: keys)
            let result: Result<StoreSnapshots.Restoration, KeychainError> = state.withLock { state in
                Result { () throws(KeychainError) in
                    let present = state.opened?.store
                    // Whatever happens: it takes no more changes, and what is in its place is opened.
                    if let present { state.isDamaged = present.isDamaged }
                    state.opened = nil
                    state.epoch += 1
                    replaced.add(1, ordering: .releasing)
                    let restoration = try snapshots.activate(draft, replacing: present) {
                        surroundings.note($0, of: name)
                    }
                    state.isDamaged = false
                    return restoration
                }
            }
            let restoration = try result.get()
            surroundings.whenItemsMayDiffer()
            return restoration
        }
    }

    // MARK: Signs of life

    /// How long opening a large store may take, in seconds: one that is copied before its format changes, or gone
    /// through because it is damaged.
    private static let patience = 600

    /// Whether the lock that every request passes is free within reason; a watchdog wants to know.
    var isResponsive: Bool {
        let busy = busySince.load(ordering: .relaxed)
        if busy > 0, MonotonicClock.seconds - busy < Self.patience { return true }
        for _ in 0..<50 {
            if state.withLockIfAvailable({ _ in true }) != nil { return true }
            usleep(100_000)
        }
        return false
    }
}

extension Log {
    func report(_ event: StoreEvent, of keychain: KeychainName) {
        warning("item store: \(event)", ["keychain": keychain.text])
    }
}

extension StoreEvent {
    /// Whether items may be others than before, without a request of a program's.
    fileprivate var mayChangeItems: Bool {
        switch self {
        case .quarantined, .restored, .recoveryFinished, .exchanged, .altered, .changesLost: true
        default: false
        }
    }
}
