import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine
import Synchronization
import SystemCalls

/// One keychain in the ``KeychainRegistry``.
///
/// It opens its store when first needed, and tries again with the next request after a failure.
///
/// So a full disk or a wrong permission leads to an error with its reason, and not to a daemon that does not start. A
/// store that is removed while it is open is not used further, since data in a file that nobody finds again is lost. If
/// it comes back to its place, it serves on; another store in its place is opened. A store that turns out to be damaged
/// is closed and opened as damaged, which sets it aside (``ItemStore``).
///
/// A slot shares nothing with another keychain: a thread that waits for the lock of a slot waits for that keychain
/// only.
package final class KeychainSlot: Sendable {
    /// The outcome of an attempt to open a keychain.
    enum Outcome {
        case opened(OpenedKeychain)
        case failed(KeychainError)
        /// Other folders are at the paths of those that this process may write to.
        ///
        /// Another process can use them.
        case displaced
    }

    /// The parts of the daemon that a keychain uses.
    package struct Surroundings: Sendable {
        let log: Log
        package var clock = StoreClock.system
        /// Maintains an open store, on a thread of its own, until the store is retired.
        package var maintain: @Sendable (ItemStore, KeychainName) -> Void
        /// Receives events that people should hear of, besides the log.
        package var report: @Sendable (StoreEvent) -> Void = { _ in }
        /// Whether the folders at the paths are still those that this process may write to.
        package var isInPlace: @Sendable () -> Bool = { true }
        /// Whether all of the daemon's files have gone from their paths, with the home that they were in.
        var isMoved: @Sendable () -> Bool = { false }
        /// Called, on the thread of the request, once this process can open nothing any more; may end the process.
        var whenDisplaced: @Sendable () -> Void = {}
        /// Makes the folders that a store needs before it is opened.
        package var prepare: @Sendable () throws(KeychainError) -> Void = {}
        /// Called when items may differ without a request of a program.
        ///
        /// Reasons are that another state of the store is open, or that rows were set aside, recovered or put back. The
        /// call may hold the lock of the slot, and waits for nothing.
        var whenItemsMayDiffer: @Sendable () -> Void = {}
        /// Opens what depends on the store.
        ///
        /// It is a part of the opening of the store.
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

    /// What holds right now, which nobody has to wait for.
    private struct Current {
        var opened: OpenedKeychain?
        /// The store that was open last, whose keybag is open.
        var keyed: StoreIdentifier?
    }

    private struct State {
        /// Whether the store that was closed last is damaged.
        ///
        /// It is kept until another store opens in its place, however often that fails.
        var isDamaged = false
        /// How often a snapshot or another folder replaced the store.
        ///
        /// A recovery does not count.
        var epoch = 0
        /// Whether the slot is out of the registry, so that nothing is opened any more.
        var isClosed = false
    }

    let name: KeychainName
    private let folder: String
    private let mark: String
    private let keys: any KeychainKeySource
    private let surroundings: Surroundings
    private let database: String
    /// Held while a store is opened or replaced, which may take long.
    private let state = AdaptiveMutex(State())
    /// Held for moments only, and changed under the lock of ``state``.
    private let current = AdaptiveMutex(Current())
    private let restoring = AdaptiveMutex<Void>(())
    /// When the store was last seen in its place.
    private let lastGlance = Atomic<Int64>(.min / 2)
    private static let glanceMilliseconds: Int64 = 20
    /// How often a store was closed to be replaced by another.
    private let replaced = Atomic<Int>(0)
    /// When the work began that holds the lock and may take long, or 0 for no such work.
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

    /// The open keychain for a look-up.
    ///
    /// A look-up gives the same result whether the store is still in its place or was just removed. So the place is
    /// checked only every ``glanceMilliseconds``.
    func keychainForReading() throws(KeychainError) -> OpenedKeychain {
        let now = MonotonicClock.coarseMilliseconds
        if now - lastGlance.load(ordering: .relaxed) <= Self.glanceMilliseconds,
            let opened = present,
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
        if let opened = present, !opened.store.needsReopening, try isInPlace(opened) { return opened }
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

    /// The keychain, if it is open; nil while it is opened or replaced.
    ///
    /// It opens nothing and waits for nothing.
    var present: OpenedKeychain? { current.withLock { $0.opened } }

    /// The store whose keybag the custodian has open, also while the keychain is opened anew.
    var storeWithKeys: StoreIdentifier? { current.withLock { $0.keyed } }

    /// Opens the store that has to be open.
    ///
    /// Call it under the lock.
    private func replace(_ state: inout State) -> Outcome {
        do throws(KeychainError) {
            guard !state.isClosed else {
                throw KeychainError(.notAvailable, "the keychain \(name) was closed while it was asked for")
            }
            // Another thread may have opened the store meanwhile.
            if let opened = present, !opened.store.needsReopening, try isInPlace(opened) { return .opened(opened) }
        } catch {
            return .failed(error)
        }
        // The present store takes no more changes, since acknowledged changes must be in the store that is opened.
        if let present {
            // Damage alone changes no row, but a store that somebody put in its place may have other rows.
            if (try? isInPlace(present)) != true { state.epoch += 1 }
            state.isDamaged = present.store.isDamaged
            present.store.retire()
            replaced.add(1, ordering: .releasing)
        }
        // The old connections close first, with any lock that the system did not release.
        leave()
        let outcome = open(isDamaged: state.isDamaged, epoch: state.epoch)
        if case .opened(let keychain) = outcome {
            let store = keychain.store.identifier
            if let last = storeWithKeys, last != store { keys.closeStore(last) }
            state.isDamaged = false
            current.withLock { $0 = Current(opened: keychain, keyed: store) }
            surroundings.whenItemsMayDiffer()
        }
        return outcome
    }

    /// Shows the keychain to no further request.
    ///
    /// Its connections close with the last of those that have it.
    private func leave() {
        // The last reference is not released under the lock, since connections take long to close.
        _ = current.withLock { current in
            defer { current.opened = nil }
            return current.opened
        }
    }

    private func isInPlace(_ opened: OpenedKeychain) throws(KeychainError) -> Bool {
        if let file = FileIdentity(at: database) { return file == opened.file }
        let reason = SystemFailure(errno).words
        // A home that was moved as a whole is no loss, and another daemon serves it at its new place.
        guard !surroundings.isMoved() else { return false }
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

    /// Closes the keychain: it takes no more requests, and releases store and keys.
    ///
    /// Requests under way end with what they have.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            let last = current.withLock { current in
                defer { current = Current() }
                return current
            }
            // Counted first, so that a request that fails because of the rest asks once more.
            replaced.add(1, ordering: .releasing)
            last.opened?.store.retire()
            if let store = last.keyed { keys.closeStore(store) }
        }
    }

    // MARK: A second try

    /// How often a store was closed to be replaced by another.
    var replacements: Int { replaced.load(ordering: .acquiring) }

    /// Whether the store has been replaced since that count, or is about to be.
    ///
    /// A failure is then worth a second try.
    func isOutdated(since replacements: Int) -> Bool {
        self.replacements != replacements || present?.store.needsReopening ?? false
    }

    // MARK: Snapshots

    package var snapshots: StoreSnapshots {
        StoreSnapshots(folder: folder, mark: mark, clock: surroundings.clock)
    }

    /// Makes a snapshot the store.
    ///
    /// The present store, open or not, is kept aside.
    package func restore(_ snapshot: String) throws(KeychainError) -> StoreSnapshots.Restoration {
        try restoring.withLock { (_) throws(KeychainError) in
            let (surroundings, name) = (surroundings, name)
            let draft = try snapshots.prepare(snapshot, keys: keys)
            let result: Result<StoreSnapshots.Restoration, KeychainError> = state.withLock { state in
                // A snapshot of an earlier version gets today's format meanwhile.
                busySince.store(MonotonicClock.seconds, ordering: .relaxed)
                defer { busySince.store(0, ordering: .relaxed) }
                return Result { () throws(KeychainError) in
                    let former = present?.store
                    // Even on failure the present store takes no more changes, and the store in its place is opened
                    // next.
                    if let former { state.isDamaged = former.isDamaged }
                    leave()
                    state.epoch += 1
                    replaced.add(1, ordering: .releasing)
                    let restoration = try snapshots.activate(draft, replacing: former) {
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

    /// How long opening a large store may take, in seconds.
    ///
    /// It may be copied before a format change, or searched because of damage.
    private static let patience = 600

    /// Whether the lock that every request takes becomes free within five seconds, or is held by work that may take
    /// longer.
    ///
    /// The watchdog asks.
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
    /// Whether items may differ without a request of a program.
    fileprivate var mayChangeItems: Bool {
        switch self {
        case .quarantined, .restored, .recoveryFinished, .exchanged, .altered, .changesLost: true
        default: false
        }
    }
}
