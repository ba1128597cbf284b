import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing
import StoreEngine

/// The items of one keychain in one folder: sealed rows in SQLite, found by keyed digests.
///
/// **Data.** A row has its attributes under a metadata seal and its secret under a seal of its own, whose key is made
/// for that one version and wrapped by a class key that never comes here. In clear are class, identifier, protection
/// class, flags, versions, key ids and digests (behaviour/differences.md, 28). The format is in
/// `Documentation/formats/item-store.md`.
///
/// **A search** (``find(_:groups:)``) takes one indexed look-up for each access group, opens the attributes of every
/// row that comes up and compares them with the query, since digests are not authenticated. It reads one state of the
/// store, on one of a few connections that block nobody, and holds none while it asks for row keys. A locked row ends
/// it; a damaged one is moved to the quarantine and left out. During a recovery it also reads the rows that still lie in the damaged file.
///
/// **A change** is prepared outside any transaction: matches found, keys asked for, seals made. Then BEGIN IMMEDIATE,
/// a look whether the same rows in the same versions still match, else all over again; the rows, the request's
/// answer and the sequence go in together. When a call returns, its change is on disk (`synchronous = FULL`).
///
/// **What keeps the rows** is ``RowStore``, which knows nothing of items: connections, integrity, snapshots, recovery. This has it do that, and
/// tells it of a row whether it opens (``ItemExaminer``).
///
/// **Who may do what** is none of the store's business. It has each opened row decided about before a secret is unsealed or a change
/// prepared (``RowAuthoriser``), and writes a change of a row in the version that was decided about, or has it decided about anew.
///
/// **Lifetimes.** Keys that open attributes stay until ``forgetKeys()``; row keys live for one call. The rules of the Keychain for items (defaults, uniqueness, dates, tombstones) are
/// here, in `ItemStore+Add.swift` and its neighbours. Everything may be called from any thread.
package final class ItemStore: Sendable {
    /// Sealed bytes that one search brings up at most: four of the largest secrets with padding, or a hundred thousand passwords.
    package static let maximumResultBytes = 72 * 1024 * 1024
    /// Sealed bytes that a search brings up without asking for its turn.
    package static let smallResultBytes = 1024 * 1024
    /// How often anything starts over before it gives up; damage that never ends would get here.
    static let maximumAttempts = 64

    let engine: RowStore
    let examiner: ItemExaminer
    let lastMaintenance = AdaptiveMutex<Double>(-.infinity)
    let accessObjects = RecentAccessObjects()
    let occupiedGroups = NonEmptyGroupCache()
    private let keeper = AdaptiveMutex<(@Sendable () -> Void)?>(nil)

    /// Opens the store in a folder, or makes one where nothing is.
    ///
    /// - Parameters:
    ///   - folder: an absolute path without a slash at its end; made where missing, with mode 0700.
    ///   - mark: the file that remembers the last change, outside of the folder, best on what is not put back with it; nil
    ///     for one beside the folder.
    ///   - keys: where keys come from.
    ///   - clock: the time for dates.
    ///   - isDamaged: whether SQLite found the database damaged, twice, while it was in use; it is then set aside, and
    ///     another one is filled from it (``continueRecovery()``).
    ///   - format: what the store is.
    ///   - goesOnFromSnapshots: ``StoreKind/goesOnFromSnapshots``
    ///   - log: told what people should know; called from any thread, never with a lock held that it could wait for.
    /// - Throws: `errSecNotAvailable` for a folder, file, schema or keybag that is not what it should be, a full disk
    ///   included; `errSecReadOnly`; `errSecIO`; what the key custodian answers.
    package convenience init(
        folder: String, mark: String? = nil, keys: any StoreKeySource, clock: StoreClock = .system,
        isDamaged: Bool = false, format: ItemStoreFormat = .dataProtection, goesOnFromSnapshots: Bool = true,
        log: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(KeychainError) {
        try self.init(
            RowStore(
                folder: folder, mark: mark,
                kind: ItemKind(source: keys, format: format, goesOnFromSnapshots: goesOnFromSnapshots), clock: clock,
                isDamaged: isDamaged, log: log))
    }

    /// - Parameter engine: of an ``ItemKind``.
    init(_ engine: RowStore) throws(KeychainError) {
        guard let examiner = engine.examiner as? ItemExaminer else {
            throw KeychainError(.internalComponent, "a store of other rows was taken for one of items")
        }
        self.engine = engine
        self.examiner = examiner
    }

    /// What the store calls itself in every seal.
    package var identifier: StoreIdentifier { examiner.store }
    /// Keys of the store, of which some are for records that the daemon keeps elsewhere.
    package var keys: StoreKeys { examiner.keys }

    var digests: StoreDigests { examiner.digests }
    var metadataKeys: MetadataKeys { examiner.metadataKeys }
    var sealer: RowSealer { examiner.sealer }
    var readers: ReaderPool { engine.readers }
    var writer: StoreWriter { engine.writer }
    var clock: StoreClock { engine.clock }
    var log: @Sendable (StoreEvent) -> Void { engine.log }

    /// To be called when keys were replaced, or unlocked: whoever seals rows anew looks at once what there is to do, and not within a minute.
    package func noteKeys() { wakeKeeper() }

    /// Has this called by ``noteKeys()``, and when the store is retired or nobody has it any more; it is to wait for nobody.
    package func whenKeysChangeOrItEnds(_ body: @escaping @Sendable () -> Void) { keeper.withLock { $0 = body } }

    func wakeKeeper() { keeper.withLock { $0 }?() }

    /// Else whoever keeps the store would find out within a minute, and a keychain that is opened and closed all the time had a thread for each time.
    deinit { wakeKeeper() }

    /// Lets go of all metadata keys, as when a protection class is locked; they are asked for anew when needed.
    package func forgetKeys() { metadataKeys.forget() }
}
