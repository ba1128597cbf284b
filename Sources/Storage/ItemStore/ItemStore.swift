import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing
import StoreEngine

/// The items of one keychain in one folder: sealed rows in SQLite, found by keyed digests.
///
/// **Data.** A row has its attributes under a metadata seal and its secret under a seal of its own. The key of the
/// secret is made for one version of the row, and wrapped by a class key that never leaves the custodian. In clear are
/// class, identifier, protection class, flags, versions, key ids and digests (behaviour/differences.md, 28). The format
/// is in `Documentation/formats/item-store.md`.
///
/// **A search** (``find(_:groups:whenLarge:authorise:use:)``) makes one indexed look-up for each access group. It opens
/// the attributes of every row that it finds and compares them with the query, since digests are not authenticated. It
/// reads one state of the store, on one of a few connections that block nobody, and holds none while it asks for row
/// keys. A locked row ends the search; a damaged row goes to the quarantine and is left out. During a recovery the
/// search also reads the rows that still lie in the damaged file.
///
/// **A change** is prepared outside of any transaction: it finds its rows, asks for keys and makes seals. After BEGIN
/// IMMEDIATE it checks that the same rows in the same versions still match, and otherwise starts over. The rows, the
/// request's answer and the sequence are written together. When a call returns, its change is on disk (`synchronous =
/// FULL`).
///
/// **Storage.** ``RowStore``, which knows nothing of items, provides connections, integrity, snapshots and recovery.
/// ``ItemExaminer`` tells it whether a row opens.
///
/// **Authorisation.** The store does not decide who may do what. It has a ``RowAuthoriser`` decide about each opened
/// row, before it unseals a secret or prepares a change. It writes a change only to the version that was decided about,
/// or asks again.
///
/// **Lifetimes.** Keys that open attributes stay until ``forgetKeys()``. Row keys live for one call, and for seconds
/// where they wait for a row that is to be added (``ReadyRowKeys``). The Keychain's rules for items (defaults,
/// uniqueness, dates, tombstones) are in `ItemStore+Add.swift` and its neighbours. All members may be called from any
/// thread.
package final class ItemStore: Sendable {
    /// The most sealed bytes of one result: four of the largest secrets with padding, or a hundred thousand passwords.
    package static let maximumResultBytes = 72 * 1024 * 1024
    /// The sealed bytes that a search reads before it asks for its turn.
    package static let smallResultBytes = 1024 * 1024
    /// How often an operation starts over before it fails; only damage that never ends leads here.
    static let maximumAttempts = 64

    let engine: RowStore
    let examiner: ItemExaminer
    let lastMaintenance = AdaptiveMutex<Double>(-.infinity)
    let accessObjects = RecentAccessObjects()
    let occupiedGroups = NonEmptyGroupCache()
    let readyKeys: ReadyRowKeys
    private let keeper = AdaptiveMutex<(@Sendable () -> Void)?>(nil)

    /// Opens the store in a folder, or makes one in a folder that has none.
    ///
    /// - Parameters:
    ///   - folder: an absolute path without a slash at its end; a missing folder is made with mode 0700.
    ///   - mark: the file that records the last change. It lies outside of the folder, best where a backup of the
    ///     folder does not restore it; nil for a file beside the folder.
    ///   - quarantine: the folder of what is set aside; nil for one beside the folder.
    ///   - keys: the source of the keys.
    ///   - clock: the time for dates.
    ///   - isDamaged: whether SQLite found the database damaged, twice, while it was in use. The database is then set
    ///     aside, and a new one is filled from it (``continueRecovery()``).
    ///   - format: the format of the store.
    ///   - goesOnFromSnapshots: ``StoreKind/goesOnFromSnapshots``
    ///   - refusal: ``RowStore/refusal``
    ///   - log: receives the events that people should know; called from any thread, never with a lock held that it
    ///     could wait for.
    /// - Throws: `errSecNotAvailable` for a folder, file, schema or keybag that is not what it should be, and for a
    ///   full disk; `errSecReadOnly`; `errSecIO`; the errors of the key custodian.
    package convenience init(
        folder: String, mark: String? = nil, quarantine: String? = nil, keys: any StoreKeySource,
        clock: StoreClock = .system,
        isDamaged: Bool = false, format: ItemStoreFormat = .dataProtection, goesOnFromSnapshots: Bool = true,
        refusal: KeychainError? = nil, log: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(KeychainError) {
        try self.init(
            RowStore(
                folder: folder, mark: mark, quarantine: quarantine,
                kind: ItemKind(source: keys, format: format, goesOnFromSnapshots: goesOnFromSnapshots), clock: clock,
                isDamaged: isDamaged, refusal: refusal, log: log))
    }

    /// Makes an item store of an engine's store.
    ///
    /// - Parameter engine: a store whose kind is an ``ItemKind``.
    init(_ engine: RowStore) throws(KeychainError) {
        guard let examiner = engine.examiner as? ItemExaminer else {
            throw KeychainError(.internalComponent, "a store of other rows was taken for one of items")
        }
        self.engine = engine
        self.examiner = examiner
        readyKeys = ReadyRowKeys(
            examiner.source, of: examiner.store, examiner.metadataKeys, elapsed: engine.clock.elapsed)
    }

    /// The identifier of the store that every seal covers.
    package var identifier: StoreIdentifier { examiner.store }
    /// The keys of the store; some are for records that the daemon keeps elsewhere.
    package var keys: StoreKeys { examiner.keys }

    var digests: StoreDigests { examiner.digests }
    var metadataKeys: MetadataKeys { examiner.metadataKeys }
    var sealer: RowSealer { examiner.sealer }
    var readers: ReaderPool { engine.readers }
    var writer: StoreWriter { engine.writer }
    var clock: StoreClock { engine.clock }
    /// ``RowStore/refusal``
    package var refusal: KeychainError? { engine.refusal }
    var log: @Sendable (StoreEvent) -> Void { engine.log }

    /// Tells the store that keys were replaced or unlocked, so that resealing looks for work at once and not within a
    /// minute.
    package func noteKeys() { wakeKeeper() }

    /// Registers the closure that ``noteKeys()`` calls, as do the store's retirement and its end.
    ///
    /// The closure must not wait.
    package func whenKeysChangeOrItEnds(_ body: @escaping @Sendable () -> Void) { keeper.withLock { $0 = body } }

    func wakeKeeper() { keeper.withLock { $0 }?() }

    /// Without this call, the thread that keeps the store would notice its end only within a minute.
    ///
    /// A keychain that is opened and closed all the time would then have a thread for each opening.
    deinit { wakeKeeper() }

    /// Forgets all keys, as when a protection class is locked; the store asks for them again when it needs them.
    package func forgetKeys() {
        metadataKeys.forget()
        readyKeys.forget()
    }
}
