import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing
import Synchronization

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
/// it; a damaged one is moved to the quarantine and left out.
///
/// **A change** is prepared outside any transaction: matches found, keys asked for, seals made. Then BEGIN IMMEDIATE,
/// a look whether the same rows in the same versions still match, else all over again; the rows, the request's
/// answer and the sequence go in together. When a call returns, its change is on disk (`synchronous = FULL`).
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
    static let smallResultBytes = 1024 * 1024
    /// How often a change starts over before it keeps others from changing anything meanwhile.
    static let patientAttempts = 8
    /// How often anything starts over before it gives up; damage that never ends would get here.
    static let maximumAttempts = 64

    /// What the store calls itself in every seal.
    package let identifier: StoreIdentifier
    /// Keys of the store, of which some are for records that the daemon keeps elsewhere.
    package let keys: StoreKeys

    let folder: String
    let places: StorePlaces
    let health: StoreHealth
    /// A recovery that was under way when the store was opened.
    let recovery: Recovery?
    let lossList: LossList
    let digests: StoreDigests
    let metadataKeys: MetadataKeys
    let sealer: RowSealer
    let readers: ReaderPool
    let writer: StoreWriter
    let clock: StoreClock
    let log: @Sendable (StoreEvent) -> Void
    let commits = GroupCommit()
    private let retired = Atomic<Bool>(false)
    /// One snapshot at a time.
    let snapshotTurn = AdaptiveMutex<Void>(())
    let answerAges = AdaptiveMutex(AnswerAges())
    let lastMaintenance = AdaptiveMutex<Double>(-.infinity)
    /// What ``verifyRows()`` told of last, and the state of the database when ``wasWrittenFromOutside()`` looked.
    let lastAlterations = AdaptiveMutex<[RowAlteration]>([])
    let lastForeignVersion = AdaptiveMutex<Int64?>(nil)

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
    ///   - log: told what people should know; called from any thread, never with a lock held that it could wait for.
    /// - Throws: `errSecNotAvailable` for a folder, file, schema or keybag that is not what it should be, a full disk
    ///   included; `errSecReadOnly`; `errSecIO`; what the key custodian answers.
    package convenience init(
        folder: String, mark: String? = nil, keys: any StoreKeySource, clock: StoreClock = .system,
        isDamaged: Bool = false,
        log: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(KeychainError) {
        let opening = try StoreOpening(
            StorePlaces(store: folder, mark: mark), keys: keys, clock: clock, isDamaged: isDamaged, log: log)
        self.init(opening, keys: keys, clock: clock, log: log)
    }

    init(
        _ opening: StoreOpening, keys: any StoreKeySource, clock: StoreClock,
        log: @escaping @Sendable (StoreEvent) -> Void
    ) {
        folder = opening.places.store
        places = opening.places
        health = opening.health
        recovery = opening.recovery
        lossList = LossList(opening.places, clock: clock)
        self.clock = clock
        self.log = log
        identifier = opening.store
        self.keys = opening.keys
        writer = opening.writer
        readers = ReaderPool(path: opening.database, health: opening.health)
        writer.tell(readers)
        digests = StoreDigests(opening.keys[.index])
        metadataKeys = MetadataKeys(keys, of: opening.store)
        sealer = RowSealer(
            store: opening.store, digests: digests, source: keys, metadataKeys: metadataKeys)
        writer.tell { [weak self] exchange, sequence in self?.noteExchange(exchange, base: sequence) }
    }

    /// The file in a store's folder that holds its items.
    package static func database(in folder: String) -> String { folder + "/" + StoreFiles.database }

    /// Whether the store is to be closed, with ``retire()``, and opened anew: SQLite has met damage in it, or it is closed
    /// already.
    package var needsReopening: Bool { health.current != .sound || isRetired }

    /// Whether a second opening confirmed the damage, so that the store is to be opened as damaged.
    package var isDamaged: Bool { health.current == .damaged }

    /// Takes no more changes: another store takes the place of this one. Reading goes on until the last who does ends.
    package func retire() {
        writer.retire()
        retired.store(true, ordering: .releasing)
    }

    package var isRetired: Bool { retired.load(ordering: .acquiring) }

    /// Lets go of all metadata keys, as when a protection class is locked; they are asked for anew when needed.
    package func forgetKeys() { metadataKeys.forget() }
}
