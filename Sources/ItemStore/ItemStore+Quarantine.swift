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
    /// Their bytes are kept, and the newest snapshot gives what it has of them (rulings, 1). A failure is logged and
    /// otherwise of no consequence: the search that met them leaves them out either way. Takes no turn, since a change
    /// may come here while it has it.
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
                        ("set-aside", [("item", LossList.text(row.stored.uuid)), ("reason", .text("\(row.reason)"))])
                    })
            } catch { log(.listFailed(error)) }
            return replace(moved) ? .replaced : .moved
        } catch {
            log(.quarantineFailed(error))
            return .failed
        }
    }

    /// Puts the rows of the newest snapshot into the place of damaged ones; answers whether it had any.
    private func replace(_ moved: [DamagedRow]) -> Bool {
        do throws(KeychainError) {
            let snapshots = SnapshotFolder(places, clock: clock)
            guard let snapshot = try snapshots.list().first(where: { $0.store == identifier }) else { return false }
            do throws(KeychainError) {
                let rows = try SnapshotReader.reading(snapshots.database(of: snapshot.name)) {
                    (reader) throws(KeychainError) in
                    var rows: [WholeRow] = []
                    for row in moved {
                        let found = try reader.row(uuid: row.stored.uuid, uniqueDigest: row.stored.uniqueDigest)
                        if let found, try isWhole(found) { rows.append(found) }
                    }
                    return rows
                }
                return try replace(with: rows, of: snapshot)
            } catch {
                guard error.isUnusableSnapshot else { throw error }
                log(.snapshotUnusable(snapshot.name, error))
                return false
            }
        } catch {
            log(.quarantineFailed(error))
            return false
        }
    }

    private func replace(with rows: [WholeRow], of snapshot: Snapshot) throws(KeychainError) -> Bool {
        let (whole, _) = try examined(rows)
        guard !whole.isEmpty else { return false }
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
                "restored",
                [
                    ("item", LossList.text(row.uuid)), ("version", .number(row.version)),
                    ("snapshot", .text(snapshot.name)),
                ])
        }
        return !inserted.isEmpty
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
