import ChatelaineModel

/// Rows that are taken over before their turn, because somebody asks for what they may be.
extension RowStore {
    /// Rows of a snapshot that one look-up brings; whoever asks for more waits for the recovery's end.
    private static let maximumBrought = 20_000

    /// Whether there may be rows that are not brought yet.
    package var hasRowsToBring: Bool { recovery.map { !$0.isFilled } ?? false }

    /// Brings the rows that digests or identifiers lead to.
    ///
    /// - Parameter usingIndex: whether each leads to few rows only.
    package func bring(_ values: [[UInt8]], usingIndex: Bool) throws(KeychainError) {
        guard let recovery, !recovery.isFilled else { return }
        try bring(values, recovery, usingIndex: usingIndex)
    }

    private func bring(_ values: [[UInt8]], _ recovery: Recovery, usingIndex: Bool) throws(KeychainError) {
        // What was brought once stays, and whoever asks for it again waits for nobody.
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
                var rows: [WholeRow] = []
                var failure: KeychainError?
                // Those before were taken over. The file may have become shorter than it was when the place was written down.
                let first = UInt32(clamping: position)
                if usingIndex, let places = recovery.indexedPages(of: wanted, from: first) {
                    // What is brought is not brought again: of a row that lies there in several versions all have to come.
                    wanted.identifiers.formUnion(source.identifiers(on: places, wanted))
                }
                for pages in recovery.pages(of: wanted, from: first, usingIndex: usingIndex) {
                    source.rows(in: pages, wanted: wanted) { row in
                        guard failure == nil else { return }
                        rows.append(row)
                        guard rows.count >= Self.rowsPerStep else { return }
                        do throws(KeychainError) { try salvage(rows, recovery, isAhead: true) } catch {
                            failure = error
                        }
                        rows = []
                    }
                    if let failure { throw failure }
                }
                try salvage(rows, recovery, isAhead: true)
            }
            var rows: [WholeRow] = []
            for identifier in wanted.identifiers {
                let row = try reading(recovery) { (snapshot) throws(KeychainError) in
                    try snapshot.row(identifier: identifier)
                }
                if let row { rows.append(row) }
            }
            try restore(rows, recovery, isAhead: true)
            recovery.state.withLock { state in
                if state.known.count < Recovery.maximumKnown { state.known.formUnion(new) }
            }
        }
    }

    /// What a state of the store has of a row that might be taken over.
    enum Standing {
        case missing
        /// The row in an older version, which nobody has written since the recovery began.
        case outdated
        /// The row in this version or a newer one; or it was brought, and is deleted where it is not there.
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

    /// Rows without those that are there in this version or a newer one, or were brought and deleted since.
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
