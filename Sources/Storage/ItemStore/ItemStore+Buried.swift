import ChatelaineModel

/// The tombstone of an item that is about to be added again.
struct ReplacedTombstone: Equatable, Sendable {
    let stamp: RowStamp
    /// The identifier and version that the new item takes over.
    ///
    /// The version is above all versions that were sealed under the identifier. Nil for a damaged or locked tombstone,
    /// which then stays beside an item with an identifier of its own.
    let successor: Successor?

    struct Successor: Equatable, Sendable {
        let row: ItemIdentifier
        let version: UInt64
    }
}

extension ItemStore {
    /// The tombstone that a new item with this unique digest replaces.
    func buriedItem(of uniqueDigest: [UInt8]) throws(KeychainError) -> ReplacedTombstone? {
        var lost = LostKeys()
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: lost)
            let found = try readers.read { (reader) throws(KeychainError) -> (RowOpener.Verdict, RowStamp)? in
                let statement = try reader.statements[.tombstoneByUnique]
                defer { statement.reset() }
                try statement.bind(1, uniqueDigest)
                guard try statement.step() else { return nil }
                return (opener.judge(statement, wantsSecret: false, digests: digests), RowStamp(statement))
            }
            guard let (verdict, stamp) = found else { return nil }
            switch verdict {
            case .match(let row):
                let successor = ReplacedTombstone.Successor(row: row.context.row, version: row.context.version + 1)
                return ReplacedTombstone(stamp: stamp, successor: successor)
            case .mismatch, .damaged: return ReplacedTombstone(stamp: stamp, successor: nil)
            case .missingKey(let id):
                do throws(KeychainError) { try fetch([id], lost: &lost) } catch {
                    guard error.cause == .locked else { throw error }
                    return ReplacedTombstone(stamp: stamp, successor: nil)
                }
            }
        }
        throw KeychainError(.internalComponent, "a search met ever more metadata keys")
    }
}
