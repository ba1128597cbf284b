import ChatelaineModel

/// The rows that a search reads directly from the pages of a damaged file, without a write and without waiting for one.
///
/// The search finds the rows before it reads a state of the store, since the pages do not change
/// (``pendingRows(of:)``). It then keeps the rows that this state lacks (``missing(_:in:)``). Where a takeover might
/// give another result than these rows, the search has the rows brought (``bring(_:usingIndex:)``).
extension RowStore {
    /// Pages that one search reads; a search that needs more has its rows brought.
    private static let maximumPages = 32
    /// Bytes of rows that one search reads in pages; copies of all of them are in memory at once.
    private static let maximumPendingBytes = 1024 * 1024

    /// The rows of the damaged file that digests or identifiers lead to; nil where they have to be brought.
    ///
    /// The rows are not opened yet. The caller has to bring a row that is not whole or has the digests of another row.
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
        // The file may have several versions of a row, or another row with the same unique digest: then not all of them
        // count.
        if rows.contains(where: { pages(of: .init(values: $0.names)) != [$0.page] }) {
            let names = DamagedDatabase.Wanted(values: rows.flatMap(\.names))
            guard let places = pages(of: names), source.identifiers(on: places, names).count == rows.count else {
                return nil
            }
        }
        return rows
    }

    /// The given rows that a state of the store neither has nor had before a deletion; nil where one would replace a
    /// row.
    package func missing(_ rows: [PendingRow], in reader: Reader) throws(KeychainError) -> [PendingRow]? {
        guard let recovery, !rows.isEmpty else { return [] }
        let place = try reader.statements[.recoveryPlace]
        defer { place.reset() }
        place.bind(1, recovery.entry)
        // Once the recovery has passed the pages, all rows are taken over, and the record of brought rows may be gone.
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

    /// Whether the snapshot has rows of these values besides the known ones.
    ///
    /// The damaged file may have lost such rows, or have them under other digests.
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

    /// Whether the store has a row with the same unique digest.
    private func hasRow(unique row: WholeRow, _ reader: Reader) throws(KeychainError) -> Bool {
        guard let unique = row.unique else { return false }
        let stamps = try reader.statements[.stampByUnique]
        defer { stamps.reset() }
        try stamps.bind(1, unique)
        if layout.tombstone != nil { stamps.bind(2, row.tombstone) }
        return try stamps.step()
    }
}
