import ChatelaineModel

/// The recovery that fills a store from the remains of a damaged one, while the store is in use.
extension RowStore {
    /// Pages of the damaged file that one step takes over: a few hundred rows, for which others wait some ten
    /// milliseconds at most.
    private static let pagesPerStep: Int64 = 64
    /// Pages of a step while look-ups come that may have to wait for its end: some milliseconds.
    private static let pagesPerShortStep: Int64 = 16
    /// Rows of those pages that one step takes over, if they are small and many.
    private static let rowsPerStep = 1024

    /// Whether rows of a damaged store are still being taken over.
    package var isRecovering: Bool { recovery.map { !$0.isFinished } ?? false }

    /// How long the caller waits before the next step, in microseconds.
    ///
    /// The pause is longer while requests have rows brought, so that most of them find no step at work.
    package var recoveryPause: UInt32 { recovery?.isAsked == true ? 10_000 : 1_000 }

    /// Takes over the next rows; answers whether there is more to do.
    ///
    /// - Throws: the errors of disk and key custodian. What was done stays, and the next call goes on from there.
    package func continueRecovery() throws(KeychainError) -> Bool {
        guard let recovery, !recovery.isFinished else { return false }
        return try recovery.turn.withLock { (_) throws(KeychainError) in try step(recovery) }
    }

    // MARK: In their turn

    func step(_ recovery: Recovery) throws(KeychainError) -> Bool {
        guard !recovery.isFinished else { return false }
        let (phase, position, cell) = recovery.state.withLock { ($0.phase, $0.position, $0.cell) }
        switch phase {
        case .damaged:
            guard let source = recovery.source, position <= Int64(source.pageCount) else {
                try proceed(recovery, to: .snapshot, 0)
                return true
            }
            let pages = recovery.beginStep() ? Self.pagesPerShortStep : Self.pagesPerStep
            let next = min(max(position, 1) + pages, Int64(source.pageCount) + 1)
            var batch = RowBatch(maximumRows: Self.rowsPerStep)
            let place = source.fill(
                &batch, from: CellPlace(page: UInt32(clamping: position), cell: cell), before: UInt32(clamping: next))
            try salvage(batch.rows, recovery, isAhead: false, advancingTo: Int64(place.page))
            recovery.state.withLock { $0.cell = place.cell }
            return true
        case .snapshot:
            if recovery.isComplete, try damagedIdentifiers(recovery).isEmpty {
                // Everything was there.
                try finish(recovery)
                return false
            }
            let rows = try reading(recovery) { (snapshot) throws(KeychainError) in
                try snapshot.rows(after: position)
            }
            guard let rows, let last = rows.last else {
                try finish(recovery)
                return false
            }
            try restore(rows, recovery, isAhead: false, advancingTo: last.row)
            return true
        }
    }

    /// Reads from the snapshot, if there is one; the recovery goes on without a snapshot that a second opening finds
    /// damaged.
    func reading<Value>(
        _ recovery: Recovery, _ body: (SnapshotReader) throws(KeychainError) -> Value?
    ) throws(KeychainError) -> Value? {
        guard let snapshot = recovery.state.withLock({ $0.snapshot }) else { return nil }
        do throws(KeychainError) { return try body(snapshot) } catch {
            guard error.cause == .damage else { throw error }
        }
        do throws(KeychainError) {
            let again = try SnapshotReader(database: snapshot.database, schema: schema)
            let value = try body(again)
            recovery.state.withLock { $0.snapshot = again }
            return value
        } catch {
            guard error.isUnusableSnapshot else { throw error }
            log(.snapshotUnusable(recovery.snapshotName ?? "", error))
            recovery.state.withLock { $0.snapshot = nil }
            return nil
        }
    }

    private func proceed(
        _ recovery: Recovery, to phase: Recovery.Phase, _ position: Int64
    ) throws(KeychainError) {
        try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Void> in
            try session.advance(recovery, to: phase, position, RecoveryCounts())
            return .commit(())
        }
        recovery.state.withLock { state in
            state.phase = phase
            state.position = position
        }
    }

    /// Takes over rows of the damaged file; rows that do not open are set aside.
    ///
    /// The transaction waits for no sync: the recovery takes over again the rows that a power cut takes back.
    ///
    /// - Parameter newest: the versions to bring ahead of rows that are there several times, where other batches may
    ///   have them; nil where the newest ones of these rows count.
    func salvage(
        _ rows: [WholeRow], _ recovery: Recovery, isAhead: Bool, newest: [[UInt8]: Int64]? = nil,
        advancingTo position: Int64? = nil
    ) throws(KeychainError) {
        guard !rows.isEmpty || position != nil else { return }
        let (whole, damaged) = try examined(rows)
        try lossList.append(
            damaged.map { row, reason in
                (.setAside, [("item", LossList.text(row.identifier)), ("reason", .text(reason.word))])
            })
        try writer.transaction(.later) { (session) throws(KeychainError) -> WriteOutcome<Void> in
            var done = RecoveryCounts()
            try session.rows.bringing { () throws(KeychainError) in
                for row in isAhead ? Self.newest(of: whole, newest) : whole {
                    switch try session.takeOver(row, base: recovery.base, isAhead: isAhead) {
                    case .inserted: done.salvaged += 1
                    case .superseded: done.setAside += 1
                    case .present: break
                    }
                }
            }
            for (row, reason) in damaged where try session.setAside(row, because: reason) { done.setAside += 1 }
            let (phase, present) = recovery.state.withLock { ($0.phase, $0.position) }
            try session.advance(recovery, to: phase, position ?? present, done)
            return .commit(())
        }
        recovery.state.withLock { state in
            for (row, _) in damaged { state.damaged.insert(row.identifier) }
            if let position { state.position = position }
        }
    }

    /// The newest version of each row: a row that was brought early is not replaced by a version that comes later.
    private static func newest(of rows: [WholeRow], _ known: [[UInt8]: Int64]?) -> [WholeRow] {
        if let known { return rows.filter { $0.version == known[$0.identifier] ?? $0.version } }
        let newest = Dictionary(rows.map { ($0.identifier, $0.version) }, uniquingKeysWith: max)
        return newest.count == rows.count ? rows : rows.filter { newest[$0.identifier] == $0.version }
    }

    /// Takes over the rows of the snapshot that the damaged file should have had.
    func restore(
        _ rows: [WholeRow], _ recovery: Recovery, isAhead: Bool, advancingTo position: Int64? = nil
    ) throws(KeychainError) {
        guard !rows.isEmpty else { return }
        var missing = try missingFromTable(rows, recovery)
        if position == nil {
            missing = try unsettled(missing, recovery)
            // Usually nothing is missing, and the caller need not wait for a transaction that writes nothing.
            guard !missing.isEmpty else { return }
        }
        let (whole, _) = try examined(missing)
        let name = recovery.snapshotName ?? ""
        let unlisted = try readers.read { (reader) throws(KeychainError) in
            var unlisted: [WholeRow] = []
            for row in whole where try !Self.isPresent(row.identifier, reader) { unlisted.append(row) }
            return unlisted
        }
        try lossList.append(
            unlisted.map { row in
                (
                    .restored,
                    [
                        ("item", LossList.text(row.identifier)), ("version", .number(row.version)),
                        ("snapshot", .text(name)),
                    ]
                )
            })
        try writer.transaction(.later) { (session) throws(KeychainError) -> WriteOutcome<Void> in
            var done = RecoveryCounts()
            try session.rows.bringing { () throws(KeychainError) in
                for row in whole {
                    switch try session.takeOver(row, base: recovery.base, isAhead: isAhead) {
                    case .inserted: done.restored += 1
                    case .superseded: done.setAside += 1
                    case .present: break
                    }
                }
            }
            let (phase, present) = recovery.state.withLock { ($0.phase, $0.position) }
            try session.advance(recovery, to: phase, position ?? present, done)
            return .commit(())
        }
        if let position { recovery.state.withLock { $0.position = position } }
    }

    /// The rows of the snapshot without those that table or index prove to be deleted since.
    private func missingFromTable(_ rows: [WholeRow], _ recovery: Recovery) throws(KeychainError) -> [WholeRow] {
        if recovery.isComplete {
            let damaged = try damagedIdentifiers(recovery)
            return rows.filter { damaged.contains($0.identifier) }
        }
        guard let indexed = try recovery.indexedIdentifiers() else { return rows }
        return rows.filter { row in Bytes16(row.identifier).map { indexed.contains($0) } ?? true }
    }

    /// Separates rows that open, with the digests that they should have, from damaged rows.
    ///
    /// A row of a locked class counts as whole: its state is unknown until somebody opens it.
    func examined(
        _ rows: [WholeRow]
    ) throws(KeychainError) -> (whole: [WholeRow], damaged: [(row: WholeRow, reason: DamageReason)]) {
        var whole: [WholeRow] = []
        var damaged: [(row: WholeRow, reason: DamageReason)] = []
        for (row, verdict) in zip(rows, try examiner.examine(rows, withSecrets: false)) {
            switch verdict {
            case .whole(let indexed, _): whole.append(indexed)
            case .locked: whole.append(row)
            case .damaged(let reason): damaged.append((row, reason))
            }
        }
        return (whole, damaged)
    }

    /// The identifiers of the rows that this recovery set aside, before a restart too.
    func damagedIdentifiers(_ recovery: Recovery) throws(KeychainError) -> Set<[UInt8]> {
        let known = recovery.state.withLock { $0.damaged }
        return try readers.read { (reader) throws(KeychainError) in
            var identifiers = known
            let statement = try reader.statements[.damagedIdentifiers]
            defer { statement.reset() }
            while try statement.step() { identifiers.insert(statement.bytes(0)) }
            return identifiers
        }
    }

    static func isPresent(_ identifier: [UInt8], _ reader: Reader) throws(KeychainError) -> Bool {
        for name in [EngineStatement.stampByIdentifier, .isBrought] {
            let statement = try reader.statements[name]
            defer { statement.reset() }
            try statement.bind(1, identifier)
            if try statement.step() { return true }
        }
        return false
    }

    // MARK: The end

    /// Ends the recovery.
    ///
    /// It lists the rows that only an index of the damaged file knows, and keeps the report of losses until somebody
    /// acknowledges it.
    private func finish(_ recovery: Recovery) throws(KeychainError) {
        recovery.fill()
        var counts = try counts(of: recovery)
        counts.lost = try listLostRows(of: recovery)
        try close(recovery, counts)
        let lost = counts.lost
        try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Void> in
            try session.finish(recovery, lost: lost)
            return .commit(())
        }
        recovery.finish()
        log(.recoveryFinished(counts))
        listing(
            .recoveryFinished,
            [
                ("salvaged", .number(Int64(counts.salvaged))), ("restored", .number(Int64(counts.restored))),
                ("set-aside", .number(Int64(counts.setAside))), ("lost", .number(Int64(counts.lost))),
            ])
    }

    /// The numbers of rows that a recovery has handled so far.
    func counts(of recovery: Recovery) throws(KeychainError) -> RecoveryCounts {
        try readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[.recovery]
            defer { statement.reset() }
            var counts = RecoveryCounts()
            if try statement.step(), statement.integer(0) == recovery.entry {
                // Whoever writes the file writes any number.
                counts.salvaged = LossReport.count(statement.integer(7))
                counts.restored = LossReport.count(statement.integer(8))
                counts.setAside = LossReport.count(statement.integer(9))
            }
            return counts
        }
    }

    /// Completes the report of a recovery; a recovery that is proven to have lost nothing has its report removed.
    private func close(_ recovery: Recovery, _ counts: RecoveryCounts) throws(KeychainError) {
        let now = clock.now()
        let proven = try provenDeletions(recovery)
        // Somebody else wrote the recorded progress of the recovery, or the files from which it takes rows.
        let isOther = try writer.withIntegrity { $0.head.owed.map { $0 != UInt256() } ?? false }
        try unacknowledged.update { reports in
            guard let index = reports.firstIndex(where: { $0.cause == .recovery && $0.base == recovery.base }) else {
                return
            }
            var report = reports[index]
            // The end may fail after this, and come again.
            if report.isOpen, let changes = report.changes { report.changes = changes - min(changes, proven) }
            report.isOpen = false
            report.found = now
            report.lost = counts.lost
            report.setAside = counts.setAside
            // Where no change is missing, the restored rows are the last versions.
            report.restored = report.changes == 0 && counts.setAside == 0 ? 0 : counts.restored
            if report.isNothing, isOther { report.altered = 1 }
            if report.isNothing { reports.remove(at: index) } else { reports[index] = report }
        }
    }

    /// Changes that rows of the snapshot prove by their absence from the index by identifier: 1 or 0.
    ///
    /// The answer is 0 where the deletion may be the one that made a tombstone, since that change counts already.
    private func provenDeletions(_ recovery: Recovery) throws(KeychainError) -> UInt64 {
        guard !recovery.isComplete, let indexed = try recovery.indexedIdentifiers() else { return 0 }
        let (isDeleted, saved) =
            try reading(recovery) { (snapshot) throws(KeychainError) in
                (try snapshot.hasRow(outside: indexed), try snapshot.head().sequence)
            } ?? (false, 0)
        guard isDeleted else { return 0 }
        let hasTombstone = try readers.read { (reader) throws(KeychainError) in
            guard let tombstone = layout.tombstone else { return false }
            let sequence = layout.name(layout.sequence)
            let statement = try PreparedStatement(
                reader.handle,
                """
                SELECT 1 FROM \(layout.table) WHERE \(layout.name(tombstone)) = 1 AND \(sequence) > ?1 \
                AND \(sequence) < ?2
                """)
            statement.bind(1, Int64(clamping: saved))
            statement.bind(2, Int64(clamping: recovery.base))
            return try statement.step()
        }
        return hasTombstone ? 0 : 1
    }

    /// Adds one line to the list of losses; where that fails, the log records the failure.
    func listing(_ event: LossList.Event, _ fields: [(name: String, value: LossList.Value)]) {
        do throws(KeychainError) { try lossList.append([(event, fields)]) } catch { log(.listFailed(error)) }
    }
}
