import ChatelaineModel

/// Rows that a search reads in the pages of a damaged file, so that it writes nothing and waits for nobody who does.
///
/// It finds them before it has a state of the store, since pages do not change (``pendingRows(of:)``), and takes of them what that state has
/// not got (``missing(_:in:)``). Wherever taking rows over might come to something else than these rows, they are brought
/// (``bring(_:usingIndex:)``).
extension RowStore {
    /// Pages that one search reads; whoever asks for more has it brought.
    private static let maximumPages = 32
    /// Bytes of rows that one search reads in pages: copies of them are in memory together.
    private static let maximumPendingBytes = 1024 * 1024

    /// The rows of the damaged file that digests or identifiers lead to; nil where they have to be brought.
    ///
    /// None of them has been opened: one that is not whole, or whose digests are not its own, has to be brought as well.
    package func pendingRows(of values: [[UInt8]]) throws(KeychainError) -> [PendingRow]? {
        guard let recovery, !recovery.isFilled else { return [] }
        let (isBrought, phase, position) = recovery.state.withLock { state in
            (values.allSatisfy { state.known.contains($0) }, state.phase, state.position)
        }
        guard !isBrought else { return [] }
        recovery.noteLookUp()
        guard phase == .damaged, let source = recovery.source else { return [] }
        func pages(of wanted: DamagedDatabase.Wanted) -> [UInt32]? {
            recovery.state.withLock { state in
                state.index?.pages(of: wanted, from: UInt32(clamping: position), maximum: Self.maximumPages)
            }
        }
        let wanted = DamagedDatabase.Wanted(values: values)
        guard let places = pages(of: wanted),
            let rows = source.pendingRows(on: places, wanted, maximumBytes: Self.maximumPendingBytes)
        else { return nil }
        // A row may lie there in several versions, or beside another that has what makes it unique: not all of them count.
        if rows.contains(where: { pages(of: .init(values: $0.names)) != [$0.page] }) {
            let names = DamagedDatabase.Wanted(values: rows.flatMap(\.names))
            guard let places = pages(of: names), source.identifiers(on: places, names).count == rows.count else {
                return nil
            }
        }
        return rows
    }

    /// Those rows that a state of the store has neither got nor had and lost again; nil where another row would give way to one of them.
    package func missing(_ rows: [PendingRow], in reader: Reader) throws(KeychainError) -> [PendingRow]? {
        guard let recovery, !rows.isEmpty else { return [] }
        let place = try reader.statements[.recoveryPlace]
        defer { place.reset() }
        place.bind(1, recovery.entry)
        // At its end, and behind the pages, all of them were taken over; what was brought is then not remembered any more.
        guard try place.step(), place.integer(0) == Recovery.Phase.damaged.rawValue else { return [] }
        let first = place.integer(1)
        var missing: [PendingRow] = []
        for row in rows where Int64(row.page) >= first {
            switch try standing(of: row.content, base: recovery.base, reader) {
            case .settled: continue
            case .outdated: return nil
            case .missing: break
            }
            guard try !hasRow(unique: row.content, reader) else { return nil }
            missing.append(row)
        }
        return missing
    }

    /// Whether the snapshot has rows of these values besides those that are known: the damaged file may have lost them, or have them under
    /// other digests.
    package func hasSavedRows(of values: [[UInt8]], besides known: Set<[UInt8]>) throws(KeychainError) -> Bool {
        guard let recovery, !recovery.isFilled else { return false }
        let isAsked = recovery.state.withLock { state in
            state.snapshot != nil && !values.allSatisfy { state.known.contains($0) }
        }
        guard isAsked else { return false }
        return try recovery.turn.withLock { (_) throws(KeychainError) in
            for value in values {
                let saved = try reading(recovery) { (snapshot) throws(KeychainError) in
                    try snapshot.identifiers(of: value, limit: known.count + 1)
                }
                guard let saved else { return false }
                if saved.count > known.count || !saved.allSatisfy({ known.contains($0) }) { return true }
            }
            return false
        }
    }

    /// Whether a row of the store has what makes another unique.
    private func hasRow(unique row: WholeRow, _ reader: Reader) throws(KeychainError) -> Bool {
        guard let unique = row.unique else { return false }
        let stamps = try reader.statements[.stampByUnique]
        defer { stamps.reset() }
        try stamps.bind(1, unique)
        if layout.tombstone != nil { stamps.bind(2, row.tombstone) }
        return try stamps.step()
    }
}
