import CallerIdentity
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Enclave
import ItemStore
import Synchronization

/// The files of one user and both daemons' work on them: the custodian with its keys, the store, the list of programs.
///
/// Opened with the first use, and again after a failure, in the order and by the rules of securityd's `KeychainOpener`.
final class Home {
    static let group = "ordeal.group"
    static let service = "ordeal"

    let path: String
    private let session: EnclaveSession
    private var store: ItemStore?
    private var ledger: ApplicationLedger?
    /// Whether the store that was closed last is damaged.
    private var isDamaged = false
    private let log = EventLog()
    private let clock: StoreClock

    init(_ path: String) {
        self.path = path
        var settings = EnclaveSettings()
        // So few that each script has keys replaced and counts saved.
        settings.blockSize = 6
        settings.rotationThreshold = 12
        settings.lockAttempts = 3
        session = Enclave(stateFolder: path + "/state/enclave", settings: settings).makeSession()
        // A second goes by between two looks, so that names and dates are the same in every round.
        let time = Clock()
        clock = StoreClock { time.next() }
    }

    var storeFolder: String { path + "/data/stores/default" }
    var snapshots: StoreSnapshots { StoreSnapshots(folder: storeFolder, clock: clock) }
    var events: [StoreEvent] { log.all }
    private var keys: CustodianKeys { CustodianKeys(session: session) }

    func opened() throws(KeychainError) -> ItemStore {
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
            folder: storeFolder, keys: keys, clock: clock, isDamaged: isDamaged,
            log: { log.note($0) })
        let folder = path + "/state/identity"
        try RuntimeFolder(folder).prepare()
        try RuntimeFolder(folder).settle()
        ledger = try ApplicationLedger(folder: folder, key: opened.recordKey)
        _ = DigestCache(folder: folder, key: opened.recordKey)
        isDamaged = false
        store = opened
        return opened
    }

    func programs() throws(KeychainError) -> ApplicationLedger {
        _ = try opened()
        guard let ledger else { throw KeychainError(.internalComponent, "no list of programs") }
        return ledger
    }

    func restore(_ name: String) throws(KeychainError) {
        let draft = try snapshots.prepare(name, keys: keys)
        let present = store
        if let present { isDamaged = present.isDamaged }
        store = nil
        let log = log
        _ = try snapshots.activate(draft, replacing: present) { log.note($0) }
        isDamaged = false
    }

    /// Everything that can be found, by account.
    func items() throws(KeychainError) -> [String: Item] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(Self.service)
        query.synchronizable = .any
        query.limit = .all
        query.returns = [.data, .attributes]
        var items: [String: Item] = [:]
        for found in try opened().find(query, groups: [Self.group]) {
            guard case .text(let account)? = found.attributes[.account], let secret = found.secret else {
                throw KeychainError(.decode, "an item without an account or a secret")
            }
            var label = ""
            if case .text(let text)? = found.attributes[.label] { label = text }
            items[account] = Item(
                secret: secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, label: label)
        }
        return items
    }

    /// What was told while it was open.
    private final class EventLog: Sendable {
        private let events = Mutex<[StoreEvent]>([])
        var all: [StoreEvent] { events.withLock { $0 } }
        func note(_ event: StoreEvent) { events.withLock { $0.append(event) } }
    }

    private final class Clock: Sendable {
        private let now = Mutex<Double>(800_000_000)
        func next() -> Double {
            now.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
