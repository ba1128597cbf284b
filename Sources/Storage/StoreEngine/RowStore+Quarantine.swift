import ChatelaineModel

/// What became of damaged rows.
package enum QuarantineOutcome: Sendable {
    /// They are where they were.
    case failed
    /// All of them are in the quarantine, or were gone already.
    case moved
    /// And rows of a snapshot stand in the place of some.
    case replaced
}

extension RowStore {
    /// Moves damaged rows out of the way in a transaction of its own, each confirmed by a second reading.
    ///
    /// Their bytes are kept, and snapshots give what they have of them (behaviour/durability.md, 6 and 7). A failure is
    /// logged and otherwise of no consequence: the search that met them leaves them out either way. Takes no turn,
    /// since a change may come here while it has it.
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

    /// Puts rows of snapshots into the place of damaged ones, each of the newest in which it opens; answers of how many.
    ///
    /// The newest snapshot may have been taken when a row was damaged already, as before a migration.
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

    /// What a snapshot has of damaged rows, and those of which it has none that opens.
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

    /// Whether a row of a snapshot opens, and what is sealed apart in it too, as far as that can be told now.
    private func isWhole(_ row: WholeRow) throws(KeychainError) -> Bool {
        switch try examiner.examine([row], withSecrets: true).first {
        case .whole(_, .damaged), .locked, .damaged, nil: false
        case .whole: true
        }
    }

    /// Nearly always there is nothing in it, which is to cost a look-up that finds nothing next to nothing.
    package func hasQuarantine() throws(KeychainError) -> Bool {
        try readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[.hasQuarantine]
            defer { statement.reset() }
            return try statement.step()
        }
    }
}
