import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// How long a tombstone stays, in seconds (behaviour/deleting.md, 10).
    static let tombstoneLifetime = 30 * secondsPerDay
    private static let secondsPerDay: Double = 86_400
    /// Tombstones that one read looks at.
    private static let tombstoneBatch: Int64 = 256

    /// Deletes tombstones that are older than ``tombstoneLifetime``; the store does this once a day by itself.
    ///
    /// Tombstones of a locked class wait for the next time.
    package func maintain() throws(KeychainError) {
        var last: Int64 = 0
        while let next = try purgeTombstones(after: last) { last = next }
    }

    func maintainIfDue() {
        let now = clock.now()
        let isDue = lastMaintenance.withLock { last in
            guard now - last >= Self.secondsPerDay || now < last else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        do throws(KeychainError) { try maintain() } catch { log(.maintenanceFailed(error)) }
    }

    /// Purges one batch; answers the last row of it, or nil at the end.
    private func purgeTombstones(after last: Int64) throws(KeychainError) -> Int64? {
        let deadline = clock.now() - Self.tombstoneLifetime
        var lost = LostKeys()
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: lost)
            let batch = try readers.read { (reader) throws(KeychainError) in
                try Self.tombstones(after: last, reader, opener, digests)
            }
            if !batch.missingKeys.isEmpty {
                do throws(KeychainError) { try fetch(batch.missingKeys, lost: &lost) } catch {
                    if error.cause == .locked { return batch.last }
                    throw error
                }
                continue
            }
            let old = batch.rows.filter { row in
                guard case .date(let date)? = row.attributes[.modificationDate] else { return true }
                return date < deadline
            }
            if !batch.damaged.isEmpty { engine.quarantine(batch.damaged) }
            if !old.isEmpty { try purge(old) }
            return batch.last
        }
        return nil
    }

    private struct TombstoneBatch {
        var rows: [OpenedRow] = []
        var damaged: [DamagedRow] = []
        var missingKeys: Set<UInt32> = []
        var last: Int64?
    }

    private static func tombstones(
        after last: Int64, _ reader: Reader, _ opener: RowOpener, _ digests: StoreDigests
    ) throws(KeychainError) -> TombstoneBatch {
        var batch = TombstoneBatch()
        let statement = try reader.statements[.tombstones]
        defer { statement.reset() }
        statement.bind(1, last)
        statement.bind(2, tombstoneBatch)
        while try statement.step() {
            batch.last = statement.integer(StoredRow.Column.row)
            switch opener.judge(statement, wantsSecret: false, digests: digests) {
            case .match(let row): batch.rows.append(row)
            case .mismatch: break
            case .missingKey(let id): batch.missingKeys.insert(id)
            case .damaged(let reason):
                let stored = StoredRow(statement, hasSecret: false)
                batch.damaged.append(DamagedRow(stored: stored, hasSecret: false, reason: reason))
            }
        }
        return batch
    }

    private func purge(_ rows: [OpenedRow]) throws(KeychainError) {
        try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Void> in
            let statement = try session.statements[.row]
            for row in rows {
                statement.bind(1, row.row)
                let isSame = try statement.step() && RowStamp(statement).matches(row)
                statement.reset()
                if isSame { try session.delete(row: row.row) }
            }
            return .commit(())
        }
    }
}

extension RowStamp {
    fileprivate func matches(_ row: OpenedRow) -> Bool {
        uuid == row.context.row.bytes && version == Int64(clamping: row.context.version)
    }
}
