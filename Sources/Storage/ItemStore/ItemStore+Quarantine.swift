import ChatelaineModel

/// What became of damaged rows.
enum QuarantineOutcome: Sendable {
    /// They are where they were.
    case failed
    /// All of them are in the quarantine, or were gone already.
    case moved
    /// And rows of a snapshot stand in the place of some.
    case replaced
}

extension ItemStore {
    /// Moves damaged rows out of the way in a transaction of its own, each confirmed by a second reading.
    ///
    /// Their bytes are kept, and snapshots give what they have of them (behaviour/durability.md, 6 and 7). A failure is
    /// logged and otherwise of no consequence: the search that met them leaves them out either way. Takes no turn,
    /// since a change may come here while it has it.
    @discardableResult
    func quarantine(_ damaged: [DamagedRow]) -> QuarantineOutcome {
        do throws(KeychainError) {
            let moved = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<[DamagedRow]> in
                var moved: [DamagedRow] = []
                for row in damaged where try session.quarantine(row) { moved.append(row) }
                return moved.isEmpty ? .rollback([]) : .commit(moved)
            }
            for row in moved {
                log(.quarantined(UInt8(exactly: row.stored.itemClass).flatMap(ItemClass.init), row.reason))
            }
            guard !moved.isEmpty else { return .moved }
            do throws(KeychainError) {
                try lossList.append(
                    moved.map { row in
                        (.setAside, [("item", LossList.text(row.stored.uuid)), ("reason", .text(row.reason.word))])
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
        try SnapshotReader.reading(database) { (reader) throws(KeychainError) in
            var (found, missing): ([WholeRow], [DamagedRow]) = ([], [])
            for row in damaged {
                let candidate = try reader.row(uuid: row.stored.uuid, uniqueDigest: row.stored.uniqueDigest)
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
            log(.restored(UInt8(exactly: row.itemClass).flatMap(ItemClass.init), snapshot: snapshot.name))
            listing(
                .restored,
                [
                    ("item", LossList.text(row.uuid)), ("version", .number(row.version)),
                    ("snapshot", .text(snapshot.name)),
                ])
        }
        return inserted.count
    }

    /// Whether a row of a snapshot opens, its secret too, as far as that can be told now.
    private func isWhole(_ row: WholeRow) throws(KeychainError) -> Bool {
        let unknown = try metadataKeys.fetch(Set([UInt32(exactly: row.metadataKey)].compactMap { $0 }))
        let examiner = RowExaminer(store: identifier, keys: metadataKeys.all, unknownKeys: unknown, digests: digests)
        guard case .whole(let opened, _) = examiner.examine(row) else { return false }
        do throws(KeychainError) {
            if case .damaged = try sealer.openSecrets([opened]).first { return false }
            return true
        } catch {
            if error.status == .interactionNotAllowed { return true }
            throw error
        }
    }

    /// Whether the item that stands in the way of another was damaged, and is now in the quarantine or gone.
    ///
    /// One that is locked or whole stays.
    func clearDamaged(uniqueDigest: [UInt8]) throws(KeychainError) -> Bool {
        var unknown: Set<UInt32> = []
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, unknownKeys: unknown)
            let found = try readers.read { (reader) throws(KeychainError) -> (RowOpener.Verdict, StoredRow)? in
                let statement = try reader.statements[.rowByUnique]
                defer { statement.reset() }
                try statement.bind(1, uniqueDigest)
                guard try statement.step() else { return nil }
                let verdict = opener.judge(statement, wantsSecret: true, digests: digests)
                return (verdict, StoredRow(statement, hasSecret: true))
            }
            guard let (verdict, stored) = found else { return true }
            switch verdict {
            case .match, .mismatch: return false
            case .missingKey(let id):
                do throws(KeychainError) { try fetch([id], unknown: &unknown) } catch {
                    if error.status == .interactionNotAllowed { return false }
                    throw error
                }
            case .damaged(let reason):
                // One that a snapshot has in its place is in the way as much as it was.
                return quarantine([DamagedRow(stored: stored, hasSecret: true, reason: reason)]) == .moved
            }
        }
        return false
    }
}
