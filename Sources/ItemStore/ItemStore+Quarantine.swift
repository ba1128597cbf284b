import ChatelaineModel

extension ItemStore {
    /// Moves damaged rows out of the way in a transaction of its own, each confirmed by a second reading.
    ///
    /// Their bytes are kept (rulings, 1). A failure is logged and otherwise of no consequence: the search that met
    /// them leaves them out either way. Answers whether they were all moved or gone. Takes no turn, since a change may
    /// come here while it has it.
    @discardableResult
    func quarantine(_ damaged: [DamagedRow]) -> Bool {
        do throws(KeychainError) {
            let moved = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<[DamagedRow]> in
                var moved: [DamagedRow] = []
                for row in damaged where try session.quarantine(row) { moved.append(row) }
                return moved.isEmpty ? .rollback([]) : .commit(moved)
            }
            for row in moved {
                log(.quarantined(UInt8(exactly: row.stored.itemClass).flatMap(ItemClass.init), row.reason))
            }
            return true
        } catch {
            log(.quarantineFailed(error))
            return false
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
                return quarantine([DamagedRow(stored: stored, hasSecret: true, reason: reason)])
            }
        }
        return false
    }
}
