import ChatelaineModel

/// The rows that a recovery takes over before their turn, because a request looks for them.
extension RowStore {
    /// Rows of a snapshot that one look-up brings; a look-up that needs more completes the whole recovery first.
    private static let maximumBrought = 20_000

    /// Whether the recovery may still have rows that the store does not have yet.
    package var hasRowsToBring: Bool { recovery.map { !$0.isFilled } ?? false }

    /// Brings the rows that digests or identifiers lead to into the store, before the recovery reaches them.
    ///
    /// - Parameter usingIndex: whether each value leads to few rows only.
    package func bring(_ values: [[UInt8]], usingIndex: Bool) throws(KeychainError) {
        guard let recovery, !recovery.isFilled else { return }
        try bring(values, recovery, usingIndex: usingIndex)
    }

    private func bring(_ values: [[UInt8]], _ recovery: Recovery, usingIndex: Bool) throws(KeychainError) {
        // The rows of known values stay in the store, so that a second request for them waits for nobody.
        guard recovery.state.withLock({ state in !values.allSatisfy { state.known.contains($0) } }) else { return }
        recovery.noteLookUp()
        try recovery.turn.withLock { (_) throws(KeychainError) in
            guard !recovery.isFilled else { return }
            let (phase, position, new) = recovery.state.withLock { state in
                (state.phase, state.position, values.filter { !state.known.contains($0) })
            }
            guard !new.isEmpty else { return }
            var wanted = DamagedDatabase.Wanted(values: new)
            for value in new {
                let found = try reading(recovery) { (snapshot) throws(KeychainError) in
                    try snapshot.identifiers(of: value, limit: Self.maximumBrought + 1)
                }
                guard (found?.count ?? 0) <= Self.maximumBrought else {
                    while try step(recovery) {}
                    return
                }
                wanted.identifiers.formUnion(found ?? [])
            }
            if phase == .damaged, let source = recovery.source {
                // The rows of the pages before this one are taken over already. The file may be shorter now than the
                // recorded position.
                let first = UInt32(clamping: position)
                if usingIndex, let places = recovery.indexedPages(of: wanted, from: first) {
                    // A row that was brought once is never brought again, so that all versions of the row in the file
                    // have to come now.
                    wanted.identifiers.formUnion(source.identifiers(on: places, wanted))
                }
                let pages = recovery.pages(of: wanted, from: first, usingIndex: usingIndex)
                try bring(wanted, on: pages, of: source, recovery)
            }
            try restore(wanted.identifiers, recovery)
            recovery.state.withLock { state in
                if state.known.count < Recovery.maximumKnown { state.known.formUnion(new) }
            }
        }
    }

    /// Brings the wanted rows of some pages, in one batch or in several.
    private func bring(
        _ wanted: DamagedDatabase.Wanted, on pages: [Range<UInt32>], of source: DamagedDatabase, _ recovery: Recovery
    ) throws(KeychainError) {
        var first: [WholeRow]?
        var newest: [[UInt8]: Int64]?
        try source.forEachBatch(in: pages, wanted: wanted) { (rows) throws(KeychainError) in
            guard let held = first else {
                // Usually no second batch comes.
                first = rows
                return true
            }
            if newest == nil {
                newest = try newestVersions(of: wanted, on: pages, source)
                try salvage(held, recovery, isAhead: true, newest: newest)
                first = []
            }
            try salvage(rows, recovery, isAhead: true, newest: newest)
            return true
        }
        if newest == nil, let first { try salvage(first, recovery, isAhead: true) }
    }

    /// The newest version that opens of each row that some pages have several times, so that no batch brings an older
    /// one.
    private func newestVersions(
        of wanted: DamagedDatabase.Wanted, on pages: [Range<UInt32>], _ source: DamagedDatabase
    ) throws(KeychainError) -> [[UInt8]: Int64] {
        var newest: [[UInt8]: Int64] = [:]
        let repeated = source.repeatedIdentifiers(in: pages, wanted)
        guard !repeated.isEmpty else { return newest }
        try source.forEachBatch(in: pages, wanted: .init(identifiers: repeated)) { (rows) throws(KeychainError) in
            for row in try examined(rows).whole {
                newest[row.identifier] = max(newest[row.identifier] ?? .min, row.version)
            }
            return true
        }
        return newest
    }

    /// Brings the rows of the snapshot with some identifiers, in one batch or in several.
    private func restore(_ identifiers: Set<[UInt8]>, _ recovery: Recovery) throws(KeychainError) {
        var batch = RowBatch()
        for identifier in identifiers {
            let row = try reading(recovery) { (snapshot) throws(KeychainError) in
                try snapshot.row(identifier: identifier)
            }
            guard let row else { continue }
            if !batch.hasRoom(for: row.byteCount) {
                try restore(batch.rows, recovery, isAhead: true)
                batch = RowBatch()
            }
            batch.append(row, bytes: row.byteCount)
        }
        try restore(batch.rows, recovery, isAhead: true)
    }

    /// How the store's state compares with a row that the recovery might take over.
    enum Standing {
        case missing
        /// The store has an older version of the row, which nobody has written since the recovery began.
        case outdated
        /// The store has this version of the row or a newer one, or the row was brought and may have been deleted
        /// since.
        case settled
    }

    func standing(of row: WholeRow, base: UInt64, _ reader: Reader) throws(KeychainError) -> Standing {
        let (brought, stamps) = (try reader.statements[.isBrought], try reader.statements[.stampByIdentifier])
        defer {
            brought.reset()
            stamps.reset()
        }
        try brought.bind(1, row.identifier)
        if try brought.step() { return .settled }
        try stamps.bind(1, row.identifier)
        guard try stamps.step() else { return .missing }
        return stamps.integer(1) >= row.version || stamps.integer(2) > Int64(clamping: base) ? .settled : .outdated
    }

    /// The rows that the recovery may still have to take over: those that are not ``Standing/settled``.
    func unsettled(_ rows: [WholeRow], _ recovery: Recovery) throws(KeychainError) -> [WholeRow] {
        try readers.read { (reader) throws(KeychainError) in
            var unsettled: [WholeRow] = []
            for row in rows where try standing(of: row, base: recovery.base, reader) != .settled {
                unsettled.append(row)
            }
            return unsettled
        }
    }
}
