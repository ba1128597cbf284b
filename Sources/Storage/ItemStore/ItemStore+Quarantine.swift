import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Whether the item that conflicts with another was damaged, and is now in the quarantine or gone.
    ///
    /// A whole item stays. The state of a locked item is unknown, since digests are not authenticated: then the
    /// function throws `errSecInteractionNotAllowed`, which reveals nothing of the item.
    func clearDamaged(uniqueDigest: [UInt8]) throws(KeychainError) -> Bool {
        var lost = LostKeys()
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: lost)
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
            case .missingKey(let id): try fetch([id], lost: &lost)
            case .damaged(let reason):
                // An item that a snapshot put in its place conflicts as before.
                return engine.quarantine([DamagedRow(stored: stored, hasSecret: true, reason: reason)]) == .moved
            }
        }
        return false
    }
}
