import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// A recovery that goes on while its store is in use: what it is filled from, and how far it is.
///
/// First the rows of the damaged file, page by page, then those of the snapshot that are missing. Whoever looks for
/// something meanwhile reads it in its page (``RowStore/pendingRows(of:)``) or, as whoever changes something, has it brought ahead
/// (``RowStore/bring(_:usingIndex:)``), so that each answer is what it will be at the
/// end. How far it is stands in the store itself, changed in the transactions that take rows over: after a crash it goes on.
final class Recovery: Sendable {
    enum Phase: Int64, Sendable {
        case damaged = 1
        case snapshot = 2
    }

    /// The pages from one on that may have rows that are wanted, as ranges of places: those that the index names, or all.
    ///
    /// Asked under ``turn`` alone.
    func pages(of wanted: DamagedDatabase.Wanted, from first: UInt32, usingIndex: Bool) -> [Range<UInt32>] {
        guard let source, first <= source.pageCount else { return [] }
        let indexed = usingIndex ? indexedPages(of: wanted, from: first) : nil
        return indexed.map { $0.map { $0..<$0 + 1 } } ?? [first..<source.pageCount + 1]
    }

    /// Those that the index names; nil where a pass through all takes no longer.
    ///
    /// The index is made when it is first asked for, where the beginning was before this process. Asked under ``turn`` alone.
    func indexedPages(of wanted: DamagedDatabase.Wanted, from first: UInt32) -> [UInt32]? {
        guard let source, first <= source.pageCount else { return [] }
        if state.withLock({ $0.index == nil }) {
            let index = source.index(from: first)
            state.withLock { $0.index = index }
        }
        let maximum = max(1, Int(source.pageCount - first + 1) / Self.pagesReadAtOnce)
        return state.withLock { $0.index?.pages(of: wanted, from: first, maximum: maximum) }
    }

    /// How far it is; changed under ``turn`` alone.
    struct State: Sendable {
        var phase: Phase
        /// The next page of the damaged file, or the last row of the snapshot that was looked at.
        var position: Int64
        /// Values by which everything has been brought.
        var known: Set<[UInt8]> = []
        /// Identifiers of rows that were found damaged.
        var damaged: Set<[UInt8]> = []
        var snapshot: SnapshotReader?
        /// Where the rows of the damaged file are; nil before somebody needed to know.
        var index: RecoveryIndex?
    }

    /// Values that are remembered as brought; beyond them a look-up reads the pages again.
    static let maximumKnown = 100_000

    /// As long as it takes to read one page by itself, so many are read in a pass.
    private static let pagesReadAtOnce = 4

    let entry: Int64
    /// The sequence with which the new store began: rows above it were changed since.
    let base: UInt64
    /// When it was begun, in hours since 2001.
    let started: Int64
    /// Nil where there is no file to take rows from.
    let source: DamagedDatabase?
    let snapshotName: String?
    /// Whether a row that the damaged file does not have was deleted, and is not to come from the snapshot: the table is
    /// whole, and neither mark nor snapshot is ahead of it.
    let isComplete: Bool
    let state: AdaptiveMutex<State>
    /// Whether the damaged file holds the state after the last change; nil where nobody has looked since the daemon started.
    private let isCurrent: Bool?
    /// What the damaged file's index by identifier says; nil before it was looked for.
    private let index = AdaptiveMutex<IdentifierIndex?>(nil)
    /// The number in the mark beside the damaged file.
    let marked: UInt64?
    /// One at a time goes through the file: it is read at the speed of memory, and nothing is won by two.
    let turn = AdaptiveMutex<Void>(())
    private let filled = Atomic<Bool>(false)
    private let finished = Atomic<Bool>(false)
    private let lookUps = Atomic<Int>(0)
    private let wasAsked = Atomic<Bool>(false)

    /// Whether all rows are where they belong; listing those that are lost may take longer, and nobody waits for that.
    var isFilled: Bool { filled.load(ordering: .acquiring) }
    func fill() {
        filled.store(true, ordering: .releasing)
        state.withLock { $0.index = nil }
    }

    /// Whether somebody had something brought between the two steps before this moment, and may well again.
    var isAsked: Bool { lookUps.load(ordering: .relaxed) > 0 || wasAsked.load(ordering: .relaxed) }
    func noteLookUp() { lookUps.add(1, ordering: .relaxed) }
    /// A step begins; answers whether somebody had something brought since the one before it.
    func beginStep() -> Bool {
        let isAsked = lookUps.exchange(0, ordering: .relaxed) > 0
        wasAsked.store(isAsked, ordering: .relaxed)
        return isAsked
    }

    var isFinished: Bool { finished.load(ordering: .acquiring) }
    func finish() { finished.store(true, ordering: .releasing) }

    /// Identifiers that are enough to know the index of them by.
    private static let knownIdentifiers = 4096

    /// The recovery that a store's own record says is not done, or nil.
    ///
    /// - Parameter outlook: what its beginning found; nil where that was before this process.
    init?(
        of writer: StoreWriter, _ places: StorePlaces, _ schema: RowSchema, _ layout: RowLayout, clock: StoreClock,
        _ outlook: RecoveryStart.Outlook?, log: (StoreEvent) -> Void
    ) throws(KeychainError) {
        struct Record {
            var entry: Int64 = 0
            var base: Int64 = 0
            var damaged: String?
            var snapshot: String?
            var isComplete = false
            var phase: Int64 = 0
            var position: Int64 = 0
            var started: Int64 = 0
        }
        let record: Record? = try writer.withConnection { (handle) throws(KeychainError) in
            let statement = try PreparedStatement(handle, EngineStatement.recovery.sql(for: schema.layout))
            guard try statement.step() else { return nil }
            return Record(
                entry: statement.integer(0), base: statement.integer(1),
                damaged: statement.isNull(2) ? nil : statement.text(2),
                snapshot: statement.isNull(3) ? nil : statement.text(3), isComplete: statement.integer(4) != 0,
                phase: statement.integer(5), position: statement.integer(6), started: statement.integer(10))
        }
        guard let record else { return nil }
        entry = record.entry
        base = UInt64(clamping: record.base)
        started = record.started
        isCurrent = outlook?.isCurrent
        snapshotName = record.snapshot
        // Without a path in it, whatever somebody may have written there.
        let folder = record.damaged.flatMap { $0.contains("/") ? nil : "\(places.quarantine)/\($0)" }
        source = try folder.flatMap { (folder) throws(KeychainError) in
            try DamagedDatabase(folder: folder, layout: layout)
        }
        if let folder, case .earlier(let sequence, _)? = try? HighWaterMark.earlier(in: folder) {
            marked = sequence
        } else {
            marked = nil
        }
        isComplete = record.isComplete
        var state = State(phase: Phase(rawValue: record.phase) ?? .damaged, position: max(0, record.position))
        if let snapshotName, SnapshotFolder.isName(snapshotName) {
            let database = SnapshotFolder(places, clock: clock).database(of: snapshotName)
            do throws(KeychainError) {
                state.snapshot = try SnapshotReader.reading(database, schema) { $0 }
            } catch {
                guard error.isUnusableSnapshot else { throw error }
                log(.snapshotUnusable(snapshotName, error))
            }
        }
        if let index = outlook?.index, index.pageCount == source?.pageCount { state.index = index }
        self.state = AdaptiveMutex(state)
    }

    /// Hundredths that are done of what is known to be to do.
    var percentDone: Int {
        state.withLock { state in
            guard state.phase == .damaged, let pages = source?.pageCount, pages > 0 else { return 99 }
            // The position is from the file, and may be any number.
            let done = min(max(state.position, 1) - 1, Int64(pages))
            return Int(min(99, done * 100 / Int64(pages)))
        }
    }

    /// The identifiers of all rows that there were at the end, where an index of the damaged file proves to have them: what it
    /// does not have was deleted.
    func indexedIdentifiers() throws(KeychainError) -> Set<Bytes16>? {
        let index = try identifierIndex()
        return index.isComplete && index.isCurrent ? index.identifiers : nil
    }

    /// The identifiers that the index by identifier has, as far as it is there.
    func namedIdentifiers() throws(KeychainError) -> Set<Bytes16> { try identifierIndex().identifiers }

    private func identifierIndex() throws(KeychainError) -> IdentifierIndex {
        if let known = index.withLock({ $0 }) { return known }
        let found = try findIndex()
        index.withLock { $0 = found }
        return found
    }

    private func findIndex() throws(KeychainError) -> IdentifierIndex {
        guard let source else { return IdentifierIndex() }
        let snapshot = state.withLock { $0.snapshot }
        let survey = source.survey(since: 0)
        var known = Set(survey.requests.compactMap { $0.item.flatMap { Bytes16($0) } })
        known.formUnion(survey.recent.prefix(Self.knownIdentifiers).compactMap(\.identifier))
        known.formUnion(try snapshot?.someIdentifiers(limit: Self.knownIdentifiers) ?? [])
        var index = source.identifierIndex(known: known)
        // The recovery begins one behind the last change that mark, snapshot or file knew of.
        index.isCurrent = isCurrent ?? (survey.sequence >= base - min(base, 1) && !survey.isRecovering)
        return index
    }
}
