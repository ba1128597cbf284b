import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// A recovery that goes on while its store is in use: its sources and its progress.
///
/// It takes over the rows of the damaged file, page by page, then the missing rows of the snapshot. A search meanwhile
/// reads a row in its page (``RowStore/pendingRows(of:)``). A change, and some searches, have the row brought ahead
/// (``RowStore/bring(_:usingIndex:)``). So each answer is the same as after the recovery. The store itself records the
/// progress, in the transactions that take rows over, so that the recovery goes on after a crash.
final class Recovery: Sendable {
    enum Phase: Int64, Sendable {
        case damaged = 1
        case snapshot = 2
    }

    /// The pages, from `first` on, that may have wanted rows, as ranges of places: those that the index names, or all.
    ///
    /// The caller holds ``turn``.
    func pages(of wanted: DamagedDatabase.Wanted, from first: UInt32, usingIndex: Bool) -> [Range<UInt32>] {
        guard let source, first <= source.pageCount else { return [] }
        let indexed = usingIndex ? indexedPages(of: wanted, from: first) : nil
        return indexed.map { $0.map { $0..<$0 + 1 } } ?? [first..<source.pageCount + 1]
    }

    /// The pages that the index names; nil where a pass through all takes no longer.
    ///
    /// Where the recovery began before this process, the first call makes the index. The caller holds ``turn``.
    func indexedPages(of wanted: DamagedDatabase.Wanted, from first: UInt32) -> [UInt32]? {
        guard let source, first <= source.pageCount else { return [] }
        if state.withLock({ $0.index == nil }) {
            let index = source.index(from: first)
            state.withLock { $0.index = index }
        }
        let maximum = max(1, Int(source.pageCount - first + 1) / Self.pagesReadAtOnce)
        return state.withLock { $0.index?.pages(of: wanted, from: first, maximum: maximum) }
    }

    /// The progress of a recovery; changed only while ``turn`` is held.
    struct State: Sendable {
        var phase: Phase
        /// The next page of the damaged file, or the last row of the snapshot that was looked at.
        var position: Int64
        /// The next cell of that page, which only this process knows: after a restart the page is gone through anew.
        var cell = 0
        /// Values whose rows have all been brought.
        var known: Set<[UInt8]> = []
        /// Identifiers of rows that were found damaged.
        var damaged: Set<[UInt8]> = []
        var snapshot: SnapshotReader?
        /// The pages of the damaged file's rows; nil before a look-up needs them.
        var index: RecoveryIndex?
    }

    /// The most values that are remembered as brought; a look-up of any other value reads the pages again.
    static let maximumKnown = 100_000

    /// Pages that a pass reads in the time of one page alone.
    private static let pagesReadAtOnce = 4

    let entry: Int64
    /// The sequence with which the new store began; rows above it were changed since.
    let base: UInt64
    /// When the recovery began, in hours since 2001.
    let started: Int64
    /// The damaged file; nil where none exists.
    let source: DamagedDatabase?
    let snapshotName: String?
    /// Whether a row that is missing from the damaged file was deleted, and must not come from the snapshot.
    ///
    /// It is so where the table is whole, and neither mark nor snapshot is ahead of it.
    let isComplete: Bool
    let state: AdaptiveMutex<State>
    /// Whether the damaged file has the state after the last change; nil where this process has not looked.
    private let isCurrent: Bool?
    /// The damaged file's index by identifier; nil before it was looked for.
    private let index = AdaptiveMutex<IdentifierIndex?>(nil)
    /// The number in the mark beside the damaged file.
    let marked: UInt64?
    /// The lock of a pass through the file, which runs at the speed of memory, so that a second one would gain nothing.
    let turn = AdaptiveMutex<Void>(())
    private let filled = Atomic<Bool>(false)
    private let finished = Atomic<Bool>(false)
    private let lookUps = Atomic<Int>(0)
    private let wasAsked = Atomic<Bool>(false)

    /// Whether all rows are in the store; listing the lost ones may take longer, and nobody waits for that.
    var isFilled: Bool { filled.load(ordering: .acquiring) }
    func fill() {
        filled.store(true, ordering: .releasing)
        state.withLock { $0.index = nil }
    }

    /// Whether a request had rows brought around the last step, so that more may follow.
    var isAsked: Bool { lookUps.load(ordering: .relaxed) > 0 || wasAsked.load(ordering: .relaxed) }
    func noteLookUp() { lookUps.add(1, ordering: .relaxed) }
    /// Begins a step; answers whether a request had rows brought since the last one.
    func beginStep() -> Bool {
        let isAsked = lookUps.exchange(0, ordering: .relaxed) > 0
        wasAsked.store(isAsked, ordering: .relaxed)
        return isAsked
    }

    var isFinished: Bool { finished.load(ordering: .acquiring) }
    func finish() { finished.store(true, ordering: .releasing) }

    /// The number of identifiers that suffice to recognise their index.
    private static let knownIdentifiers = 4096

    /// Reads the unfinished recovery from the store's record; nil without one.
    ///
    /// - Parameter outlook: the results of its beginning; nil where the recovery began before this process.
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
        // The name must not contain a path, since anybody may have written it.
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
        if let index = outlook?.index, index.pageCount == source?.pageCount {
            state.index = index
            source?.adopt(outlook?.claims)
        }
        self.state = AdaptiveMutex(state)
    }

    /// The finished part of the known work, in hundredths.
    var percentDone: Int {
        state.withLock { state in
            guard state.phase == .damaged, let pages = source?.pageCount, pages > 0 else { return 99 }
            // The position comes from the file, and may be any number.
            let done = min(max(state.position, 1) - 1, Int64(pages))
            return Int(min(99, done * 100 / Int64(pages)))
        }
    }

    /// The identifiers of all rows at the last change, where an index of the damaged file proves to have them; nil
    /// otherwise.
    ///
    /// A row that is missing from such an index was deleted.
    func indexedIdentifiers() throws(KeychainError) -> Set<Bytes16>? {
        let index = try identifierIndex()
        return index.isComplete && index.isCurrent ? index.identifiers : nil
    }

    /// The identifiers in the readable part of the index by identifier.
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
        // The recovery's base is one more than the last change in mark, snapshot or file.
        index.isCurrent = isCurrent ?? (survey.sequence >= base - min(base, 1) && !survey.isRecovering)
        return index
    }
}
