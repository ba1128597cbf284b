import ChatelaineModel

/// The result of an attempt to move damaged rows to the quarantine.
package enum QuarantineOutcome: Sendable {
    /// The rows are where they were.
    case failed
    /// All rows are in the quarantine, or were gone already.
    case moved
    /// All rows are out of the way, and rows of a snapshot replace some of them.
    case replaced
}

extension RowStore {
    /// Moves damaged rows to the quarantine in a transaction of its own; a second reading confirms the damage of each.
    ///
    /// Their bytes are kept, and snapshots replace what they can (behaviour/durability.md, 6 and 7). A failure only
    /// goes to the log, since the search that met the rows leaves them out either way. The function takes no turn of
    /// the commit queue, since a change may call it while that change has the turn.
    @discardableResult
    package func quarantine(_ damaged: [DamagedRow]) -> QuarantineOutcome {
        do throws(KeychainError) {
            let moved = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<[DamagedRow]> in
                var moved: [DamagedRow] = []
                for row in damaged where try session.quarantine(row) { moved.append(row) }
                return moved.isEmpty ? .rollback([]) : .commit(moved)
            }
            for row in moved { log(.quarantined(kind: row.kind, row: row.identifier, row.reason)) }
            guard !moved.isEmpty else { return .moved }
            do throws(KeychainError) {
                try lossList.append(
                    moved.map { row in
                        (.setAside, [("item", LossList.text(row.identifier)), ("reason", .text(row.reason.word))])
                    })
            } catch { log(.listFailed(error)) }
            let restored = replace(moved)
            note(setAside: moved.count, restored: restored)
            return restored > 0 ? .replaced : .moved
        } catch {
            log(.quarantineFailed(error))
            return .failed
        }
    }

    /// Replaces damaged rows by those of snapshots; answers how many it replaced.
    ///
    /// Each row comes from the newest snapshot in which it opens. The newest snapshot may already have the damaged row,
    /// as a snapshot before a migration may.
    private func replace(_ moved: [DamagedRow]) -> Int {
        var missing = moved
        var restored = 0
        do throws(KeychainError) {
            let snapshots = SnapshotFolder(places, clock: clock)
            for snapshot in try snapshots.list() where snapshot.store == identifier && !missing.isEmpty {
                do throws(KeychainError) {
                    let (found, others) = try rows(of: missing, in: snapshots.database(of: snapshot.name))
                    restored += try replace(with: found, of: snapshot)
                    missing = others
                } catch {
                    guard error.isUnusableSnapshot else { throw error }
                    log(.snapshotUnusable(snapshot.name, error))
                }
            }
        } catch { log(.quarantineFailed(error)) }
        return restored
    }

    /// The rows of a snapshot that replace damaged ones, and the damaged rows for which no row of the snapshot opens.
    private func rows(
        of damaged: [DamagedRow], in database: String
    ) throws(KeychainError) -> (found: [WholeRow], missing: [DamagedRow]) {
        try SnapshotReader.reading(database, schema) { (reader) throws(KeychainError) in
            var (found, missing): ([WholeRow], [DamagedRow]) = ([], [])
            for row in damaged {
                let candidate = try reader.row(identifier: row.identifier, unique: row.unique)
                if let candidate, try isWhole(candidate) { found.append(candidate) } else { missing.append(row) }
            }
            return (found, missing)
        }
    }

    private func replace(with rows: [WholeRow], of snapshot: Snapshot) throws(KeychainError) -> Int {
        let (whole, _) = try examined(rows)
        guard !whole.isEmpty else { return 0 }
        let inserted = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<[WholeRow]> in
            var inserted: [WholeRow] = []
            for row in whole {
                if case .inserted = try session.takeOver(row, base: 0, isAhead: false) { inserted.append(row) }
            }
            return inserted.isEmpty ? .rollback([]) : .commit(inserted)
        }
        for row in inserted {
            log(.restored(kind: examiner.kind(of: row), snapshot: snapshot.name))
            listing(
                .restored,
                [
                    ("item", LossList.text(row.identifier)), ("version", .number(row.version)),
                    ("snapshot", .text(snapshot.name)),
                ])
        }
        return inserted.count
    }

    /// Whether a row of a snapshot opens, its secret included, as far as available keys can tell.
    private func isWhole(_ row: WholeRow) throws(KeychainError) -> Bool {
        switch try examiner.examine([row], withSecrets: true).first {
        case .whole(_, .damaged), .locked, .damaged, nil: false
        case .whole: true
        }
    }

    /// Whether the quarantine has a row.
    ///
    /// It is nearly always empty, and the check has to cost a vain look-up next to nothing.
    package func hasQuarantine() throws(KeychainError) -> Bool {
        try readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[.hasQuarantine]
            defer { statement.reset() }
            return try statement.step()
        }
    }
}
