import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// The rows of one store in one folder: sealed by whoever declares them, kept by SQLite.
///
/// **Rows.** A kind of store declares the columns of one table (``RowLayout``, ``RowSchema``), and says of a row whether it opens
/// (``RowExaminer``). What the rows are about, the engine does not know: no statement or digest of it names a column of its own.
///
/// **What it vouches for.** A change that returns is on disk (``GroupCommit``, ``StoreWriter``). What was lost or changed from outside is noticed
/// (``StoreIntegrity``, ``HighWaterMark``), and reported until somebody has acknowledged it. A damaged store is made anew from what is left
/// of it, from its log and from snapshots (``Recovery``), while it is in use.
///
/// **What is left to others.** Who may read or write a row, how it is sealed, and by which digests it is looked up. They ask for
/// statements of their own by number (``StatementCache``).
///
/// Everything may be called from any thread.
package final class RowStore: Sendable {
    /// What the store calls itself in every seal.
    package let identifier: StoreIdentifier
    package let schema: RowSchema
    package let examiner: any RowExaminer
    package let folder: String
    let places: StorePlaces
    let health: StoreHealth
    /// A recovery that was under way when the store was opened.
    let recovery: Recovery?
    let lossList: LossList
    package let readers: ReaderPool
    package let writer: StoreWriter
    package let clock: StoreClock
    package let log: @Sendable (StoreEvent) -> Void
    let commits = GroupCommit()
    let resealing = Resealing()
    private let retired = Atomic<Bool>(false)
    /// One snapshot at a time.
    let snapshotTurn = AdaptiveMutex<Void>(())
    let answerAges = AdaptiveMutex(AnswerExpiry())
    /// What ``verifyRows()`` told of last, and the state of the database when ``wasWrittenFromOutside()`` looked.
    let lastAlterations = AdaptiveMutex<[RowAlteration]>([])
    let lastForeignVersion = AdaptiveMutex<Int64?>(nil)

    var layout: RowLayout { schema.layout }
    package var database: String { Self.database(in: folder) }

    /// The file in a store's folder that holds its rows.
    package static func database(in folder: String) -> String { folder + "/" + StoreFiles.database }

    /// Opens the store in a folder, or makes one where nothing is.
    ///
    /// - Parameters:
    ///   - folder: an absolute path without a slash at its end; made where missing, with mode 0700.
    ///   - mark: the file that remembers the last change, outside of the folder, best on what is not put back with it; nil
    ///     for one beside the folder.
    ///   - kind: what its rows are, and where their keys come from.
    ///   - clock: the time for dates.
    ///   - isDamaged: whether SQLite found the database damaged, twice, while it was in use; it is then set aside, and
    ///     another one is filled from it (``continueRecovery()``).
    ///   - formerRows: what rows of a damaged file may have, where that is more than the schema says.
    ///   - log: told what people should know; called from any thread, never with a lock held that it could wait for.
    /// - Throws: `errSecNotAvailable` for a folder, file, schema or keybag that is not what it should be, a full disk
    ///   included; `errSecReadOnly`; `errSecIO`; what the key custodian answers.
    package init(
        folder: String, mark: String? = nil, kind: any StoreKind, clock: StoreClock = .system, isDamaged: Bool = false,
        formerRows: RowLayout? = nil, log: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(KeychainError) {
        let opening = try StoreOpening(
            StorePlaces(store: folder, mark: mark), kind: kind, clock: clock, isDamaged: isDamaged,
            layout: formerRows ?? kind.schema.layout, log: log)
        self.folder = folder
        schema = kind.schema
        places = opening.places
        health = opening.health
        recovery = opening.recovery
        lossList = LossList(opening.places, clock: clock)
        self.clock = clock
        self.log = log
        identifier = opening.store
        examiner = opening.examiner
        writer = opening.writer
        readers = ReaderPool(path: opening.database, schema: kind.schema, health: opening.health)
        writer.tell(readers)
        writer.tell { [weak self] exchange, sequence in self?.noteExchange(exchange, base: sequence) }
    }

    /// Whether the store is to be closed, with ``retire()``, and opened anew: SQLite has met damage in it, or it is closed
    /// already.
    package var needsReopening: Bool { health.current != .sound || isRetired }

    /// Whether a second opening confirmed the damage, so that the store is to be opened as damaged.
    package var isDamaged: Bool { health.current == .damaged }

    /// Lends a connection of its own to what reads for long, beside those of searches and changes.
    ///
    /// A lock that it cannot have makes the store one to be opened anew, as any other connection's does: this process may hold it itself,
    /// where the system did not release it for a connection that has ended (``StoreHealth/noteLock()``).
    package func withOwnConnection<Value>(
        _ body: (ReadConnection) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        do { return try body(try ReadConnection(reading: database)) } catch {
            if error.cause == .busy { health.noteLock() }
            throw error
        }
    }

    /// Takes no more changes: another store takes the place of this one. Reading goes on until the last who does ends.
    package func retire() {
        writer.retire()
        retired.store(true, ordering: .releasing)
    }

    /// Ends all connections that nobody uses just now. Whoever still has the store is told that it was replaced.
    package func close() throws(KeychainError) {
        retire()
        readers.closeIdle()
        try writer.close()
    }

    package var isRetired: Bool { retired.load(ordering: .acquiring) }
}
