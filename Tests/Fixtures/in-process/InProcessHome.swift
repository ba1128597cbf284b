import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import Enclave
import ItemStore
import Synchronization

/// The files of one user and both daemons' work on them: the custodian with its keys, the store, the list of programs.
///
/// Opened with the first use, and again after a failure, in the order and by the rules of securityd's `KeychainSlot`.
package final class InProcessHome {
    package let path: String
    private let custodian: Enclave
    private var store: ItemStore?
    private var ledger: ApplicationLedger?
    /// Whether the store that was closed last is damaged.
    private var isDamaged = false
    private let log = EventLog()
    private let clock: StoreClock

    /// - Parameter time: when it is, in seconds since 2001; a second goes by between two looks, so that names and dates are the
    ///   same in every run.
    package init(
        _ path: String, settings: EnclaveSettings = InProcessHome.settings, time: Double, isMarked: Bool = true
    ) {
        self.isMarked = isMarked
        self.path = path
        custodian = Enclave(stateFolder: path + "/state/enclave", settings: settings)
        let time = Time(time)
        // As if hours went by between two looks at how old something is.
        clock = StoreClock {
            time.next()
        } elapsed: {
            time.next() * 3600
        }
    }

    /// A custodian that counts so few seals of a key that a handful of items has keys replaced and counts saved.
    package static var settings: EnclaveSettings {
        var settings = EnclaveSettings()
        settings.blockSize = 6
        settings.rotationThreshold = 12
        settings.lockAttempts = 3
        return settings
    }

    package var storeFolder: String { path + "/data/stores/default" }
    package var markFile: String { path + "/state/stores/default.mark" }
    package var snapshots: StoreSnapshots { StoreSnapshots(folder: storeFolder, mark: markFile, clock: clock) }
    package var events: [StoreEvent] { log.all }
    /// When it is.
    package var now: Double { clock.now() }
    private var keys: CustodianKeys { CustodianKeys(custodian, isMarking: isMarked) }
    private let isMarked: Bool

    package func opened() throws(KeychainError) -> ItemStore {
        if let store, !store.needsReopening { return store }
        if let store {
            isDamaged = store.isDamaged
            store.retire()
        }
        store = nil
        for folder in [RuntimeFolder(path + "/state"), RuntimeFolder(path + "/data")] {
            try folder.prepareUnshared()
            try folder.settle()
        }
        let log = log
        let opened = try ItemStore(
            folder: storeFolder, mark: markFile, keys: keys, clock: clock, isDamaged: isDamaged,
            log: { log.note($0) })
        let folder = path + "/state/identity"
        try RuntimeFolder(folder).prepare()
        try RuntimeFolder(folder).settle()
        ledger = try ApplicationLedger(
            folder: folder, key: opened.keys[.applications], formerKey: opened.keys[.record])
        isDamaged = false
        store = opened
        return opened
    }

    package func programs() throws(KeychainError) -> ApplicationLedger {
        _ = try opened()
        guard let ledger else { throw KeychainError(.internalComponent, "no list of programs") }
        return ledger
    }

    package func restore(_ name: String) throws(KeychainError) {
        let draft = try snapshots.prepare(name, keys: keys)
        let present = store
        if let present { isDamaged = present.isDamaged }
        store = nil
        let log = log
        _ = try snapshots.activate(draft, replacing: present) { log.note($0) }
        isDamaged = false
    }

    /// What was told while it was open.
    private final class EventLog: Sendable {
        private let events = Mutex<[StoreEvent]>([])
        var all: [StoreEvent] { events.withLock { $0 } }
        func note(_ event: StoreEvent) { events.withLock { $0.append(event) } }
    }

    private final class Time: Sendable {
        private let now: Mutex<Double>
        init(_ start: Double) { now = Mutex(start) }
        func next() -> Double {
            now.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
