import ChatelaineModel

/// A bucket whose rows differ from those that the store's own changes wrote.
package struct RowAlteration: Sendable, Equatable {
    /// What happened to a row whose identifier is known.
    ///
    /// The words appear in the list of losses (`item-store.md`): they never change.
    package enum Kind: String, CaseIterable, Sendable {
        case removed = "removed"
        case added = "added"
        case exchanged = "exchanged"
    }

    package var bucket: Int
    /// The number of rows that the bucket should have, and the number that it has.
    package var expected: Int
    package var found: Int
    /// The identifier of the altered row, where a snapshot or the store itself proves it.
    package var row: [UInt8]?
    package var kind: Kind?

    /// The least number of altered rows that explains the difference.
    var leastRows: Int { max(1, Int(clamping: (expected &- found).magnitude)) }
}

extension RowAlteration: CustomStringConvertible {
    package var description: String {
        guard let row, let kind else { return "bucket \(bucket) (\(found) rows instead of \(expected))" }
        return "\(Hexadecimal.text(of: row)) \(kind.rawValue) in bucket \(bucket)"
    }
}

extension RowStore {
    /// Compares all rows with those that the store's own changes wrote, in one pass; answers the buckets that differ.
    ///
    /// An alteration is reported until somebody acknowledges it. The rows stay as they are: a row that opens is
    /// genuine, though perhaps not its last version.
    ///
    /// The work grows with the rows, and not with the alterations: one pass finds the buckets, one looks for single
    /// rows in all of them, and each snapshot is gone through once at the most. ``endChecks()`` ends a pass.
    ///
    /// - Throws: with the cause `locked` after ``endChecks()``.
    @discardableResult
    package func verifyRows() throws(KeychainError) -> [RowAlteration] {
        try requireChecks()
        return try withOwnConnection(verifyRows)
    }

    private func verifyRows(_ connection: ReadConnection) throws(KeychainError) -> [RowAlteration] {
        let statements = StatementCache(connection.handle, schema)
        defer { try? statements[.end].run() }
        // All statements read one state of the store, that of its own last change, while changes go on.
        let (keys, head, found) = try writer.withIntegrity { (integrity) throws(KeychainError) in
            try statements[.begin].run()
            let reading = try statements[.head]
            defer { reading.reset() }
            guard try reading.step() else { return (integrity.keys, integrity.head, UInt64?.some(0)) }
            let sequence = UInt64(clamping: reading.integer(0))
            let isOurs = sequence == integrity.head.sequence && integrity.sealed.isSame(as: reading.lend(1))
            return (integrity.keys, integrity.head, isOurs ? nil : sequence)
        }
        // The next change or opening decides from which state the store goes on.
        if let found {
            noteExchange(StoreExchange(expected: head.sequence, found: found), base: head.sequence)
            return []
        }
        var progress = CheckProgress(self)
        let rows = try keys.authenticator.rows(statements) { () throws(KeychainError) in try progress.noteRow() }
        guard !head.rows.differences(from: rows).isEmpty else {
            lastAlterations.withLock { $0 = [] }
            return []
        }
        var search = AlterationSearch(expected: head.rows, found: rows, keys.authenticator)
        try search.run(statements, self, &progress)
        let alterations = search.alterations
        // Every pass finds the same alterations until they are acknowledged; only the first one reports them.
        if lastAlterations.withLock({ $0 != alterations }) {
            try report(alterations, since: head.sequence)
            lastAlterations.withLock { $0 = alterations }
        }
        return alterations
    }

    /// Whether a foreign connection has changed the database since the last call.
    ///
    /// SQLite counts the changes of other connections than the writer's (sqlite.org/pragma.html#pragma_data_version).
    /// All changes of this process come from the writer.
    package func wasWrittenFromOutside() -> Bool {
        let version = try? writer.withConnection { (handle) throws(KeychainError) in
            try ReadConnection.integer(handle, "PRAGMA data_version")
        }
        guard let version else { return false }
        return lastForeignVersion.withLock { last in
            defer { last = version }
            return last.map { $0 != version } ?? false
        }
    }

    private func report(_ alterations: [RowAlteration], since sequence: UInt64) throws(KeychainError) {
        log(.altered(alterations))
        try lossList.append(
            alterations.map { alteration in
                var fields: [(name: String, value: LossList.Value)] = [
                    ("bucket", .number(Int64(alteration.bucket))), ("expected", .number(Int64(alteration.expected))),
                    ("found", .number(Int64(alteration.found))), ("sequence", .number(Int64(clamping: sequence))),
                ]
                if let row = alteration.row, let kind = alteration.kind {
                    fields += [("item", LossList.text(row)), ("change", .text(kind.rawValue))]
                }
                return (.rowsAltered, fields)
            })
        let count = alterations.reduce(0) { $0 &+ $1.leastRows }
        try unacknowledged.update { reports in
            let copied = copyLosses.withLock { $0?.base }
            var report = LossReport(cause: .alteration, found: clock.now(), base: copied ?? 0)
            let index = reports.firstIndex { $0.cause == .alteration && (copied == nil || $0.base == copied) }
            if let index { report = reports[index] }
            // The same rows are found by every pass until they are acknowledged.
            report.altered = max(report.altered, min(max(count, 1), Int(Int32.max)))
            if let index { reports[index] = report } else { reports.append(report) }
        }
    }

    /// Reports that a change met a head record that this process did not write.
    func noteExchange(_ exchange: StoreExchange, base: UInt64) {
        log(.exchanged(exchange))
        do throws(KeychainError) {
            var report = LossReport(
                cause: .history, found: clock.now(), base: base, changes: nil,
                since: min(exchange.expected, exchange.found))
            report.sinceDate = nil
            try lossList.append([
                (
                    .exchanged,
                    [
                        ("expected", .number(Int64(clamping: exchange.expected))),
                        ("found", .number(Int64(clamping: exchange.found))),
                    ]
                )
            ])
            try unacknowledged.put(report)
        } catch { log(.listFailed(error)) }
    }

    /// Accepts the present rows as the expected ones, and begins a new history.
    func beginEpoch() throws(KeychainError) {
        let sequence = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<UInt64> in
            try session.rows.restart(session.statements)
            return .commit(session.sequence)
        }
        // An alteration of another row, or a repeated one, is reported again.
        lastAlterations.withLock { $0 = [] }
        log(.epochBegun(sequence: sequence))
    }
}
