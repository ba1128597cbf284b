import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// The rows of one store in one folder, kept by SQLite.
///
/// **Rows.** A kind of store declares the columns of one table (``RowLayout``, ``RowSchema``), and decides whether a
/// row opens (``RowExaminer``). The engine does not know the meaning of a row: none of its statements or digests names
/// a column of its own.
///
/// **Guarantees.** A change that returns is on disk (``GroupCommit``, ``StoreWriter``). The engine notices losses and
/// changes from outside (``StoreIntegrity``, ``HighWaterMark``), and reports them until somebody acknowledges them. It
/// makes a damaged store anew, from its remains, its log and snapshots (``Recovery``), while the store is in use.
///
/// **Left to others.** The kind of store decides who may read or write a row, how the row is sealed, and which digests
/// find it. It asks for its own statements by number (``StatementCache``).
///
/// All members may be called from any thread.
package final class RowStore: Sendable {
    /// The identifier of the store that every seal covers.
    package let identifier: StoreIdentifier
    package let schema: RowSchema
    package let examiner: any RowExaminer
    package let folder: String
    let places: StorePlaces
    let health: StoreHealth
    /// The recovery that was under way when the store was opened.
    let recovery: Recovery?
    let lossList: LossList
    /// The error of every change by a request; nil where changes are possible.
    ///
    /// The store itself goes on being repaired.
    package let refusal: KeychainError?
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
    /// The last report of ``verifyRows()``, and the database version at the last ``wasWrittenFromOutside()``.
    let lastAlterations = AdaptiveMutex<[RowAlteration]>([])
    let lastForeignVersion = AdaptiveMutex<Int64?>(nil)
    /// The rows that were set aside since a store was opened that takes no changes, and the number at its opening.
    let copyLosses = AdaptiveMutex<LossReport?>(nil)
    /// Set by ``endChecks()``.
    let checkEnd = Interruption()
    /// The rows that all passes of ``verifyRows()`` have read, for tests.
    let rowsVerified = Atomic(0)

    var layout: RowLayout { schema.layout }
    package var database: String { Self.database(in: folder) }

    /// The file in a store's folder that holds its rows.
    package static func database(in folder: String) -> String { folder + "/" + StoreFiles.database }

    /// Opens the store in a folder, or makes one in a folder that has none.
    ///
    /// - Parameters:
    ///   - folder: an absolute path without a slash at its end; a missing folder is made with mode 0700.
    ///   - mark: the file that records the last change. It lies outside of the folder, best where a backup of the
    ///     folder does not restore it; nil for a file beside the folder.
    ///   - quarantine: the folder of what is set aside; nil for one beside the folder.
    ///   - kind: declares the rows, and names the source of their keys.
    ///   - clock: the time for dates.
    ///   - isDamaged: whether SQLite found the database damaged, twice, while it was in use. The database is then set
    ///     aside, and a new one is filled from it (``continueRecovery()``).
    ///   - formerRows: the layout of rows in a damaged file, where it has more than the schema's.
    ///   - refusal: the error of every change by a request, where the store takes none. Such a store is a copy of a
    ///     file that stays as it is: each opening finds the same losses, which are told once.
    ///   - log: receives the events that people should know; called from any thread, never with a lock held that it
    ///     could wait for.
    /// - Throws: `errSecNotAvailable` for a folder, file, schema or keybag that is not what it should be, and for a
    ///   full disk; `errSecReadOnly`; `errSecIO`; the errors of the key custodian.
    package init(
        folder: String, mark: String? = nil, quarantine: String? = nil, kind: any StoreKind,
        clock: StoreClock = .system, isDamaged: Bool = false,
        formerRows: RowLayout? = nil, refusal: KeychainError? = nil,
        log: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(KeychainError) {
        let opening = try StoreOpening(
            StorePlaces(store: folder, mark: mark, quarantine: quarantine), kind: kind, clock: clock,
            isDamaged: isDamaged,
            layout: formerRows ?? kind.schema.layout, log: log)
        self.folder = folder
        schema = kind.schema
        places = opening.places
        health = opening.health
        recovery = opening.recovery
        lossList = LossList(opening.places, clock: clock)
        self.refusal = refusal
        self.clock = clock
        self.log = log
        identifier = opening.store
        examiner = opening.examiner
        writer = opening.writer
        readers = ReaderPool(path: opening.database, schema: kind.schema, health: opening.health)
        if refusal != nil { try beginCopyLosses() }
        writer.tell(readers)
        writer.tell { [weak self] exchange, sequence in self?.noteExchange(exchange, base: sequence) }
    }

    /// Whether the caller has to ``retire()`` the store and open it anew: SQLite met damage, or the store is retired
    /// already.
    package var needsReopening: Bool { health.current != .sound || isRetired }

    /// Whether a second opening confirmed the damage, so that the caller opens the store as damaged.
    package var isDamaged: Bool { health.current == .damaged }

    /// Lends a connection of its own to a long read, apart from the connections of searches and changes.
    ///
    /// A lock that this connection cannot get makes the store need reopening, as with any other connection. This
    /// process may hold the lock itself, where the system did not release it for a closed connection
    /// (``StoreHealth/noteLock()``).
    package func withOwnConnection<Value>(
        _ body: (ReadConnection) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        do { return try body(try ReadConnection(reading: database)) } catch {
            if error.cause == .busy { health.noteLock() }
            throw error
        }
    }

    /// Ends changes to this store, because another one replaces it; reads go on until the last reader ends.
    package func retire() {
        writer.retire()
        retired.store(true, ordering: .releasing)
    }

    /// Closes all idle connections; later callers get the error that the store was replaced.
    package func close() throws(KeychainError) {
        retire()
        readers.closeIdle()
        try writer.close()
    }

    package var isRetired: Bool { retired.load(ordering: .acquiring) }
}
