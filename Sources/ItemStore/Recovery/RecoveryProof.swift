import ChatelaineModel

/// A look whether a store that is made anew will have the rows that our changes wrote last, where nothing seems to be missing.
///
/// Whoever may write the files could otherwise change rows, then make the database look damaged, and have the recovery take them for
/// good.
struct RecoveryProof {
    /// Rows, at least so many, that are other than those that were written last; nil where no seal tells of them.
    let altered: Int?
    /// What the rows of damaged file and snapshot come to.
    let sum: WideSum

    init(
        of store: StoreIdentifier, _ keys: IntegrityKeys, _ evidence: RecoveryEvidence, _ damaged: DamagedDatabase?,
        _ survey: DamagedDatabase.Survey, _ snapshot: Snapshot?, _ folder: SnapshotFolder
    ) throws(KeychainError) {
        var expected = survey.head?.withUnsafeBytes { keys.open($0, of: store) }
        // A row may be there in several versions, in pages that the log has anew and in the snapshot.
        var newest: [Bytes16: (version: Int64, term: RowTerm)] = [:]
        newest.reserveCapacity(survey.rows)
        func take(_ row: WholeRow) {
            guard let identifier = Bytes16(row.uuid) else { return }
            if let present = newest[identifier], present.version >= row.version { return }
            newest[identifier] = (row.version, keys.authenticator.term(of: row))
        }
        if let damaged { damaged.rows(in: 1..<damaged.pageCount + 1) { take($0) } }
        if let snapshot, !evidence.isComplete {
            let reader = try SnapshotReader(database: folder.database(of: snapshot.name))
            if expected?.sequence != evidence.known { expected = try reader.integrity(keys, of: store).head }
            var last = Int64.min
            while true {
                let some = try reader.rows(after: last, limit: ItemStore.rowsPerStep)
                guard let end = some.last else { break }
                some.forEach(take)
                last = end.row
            }
        }
        var rows = RowMultiset()
        var sum = WideSum()
        for (_, term) in newest.values {
            rows.insert(term)
            sum &+= term.value
        }
        self.sum = sum
        altered =
            if let expected, expected.sequence == evidence.known, expected.recovery == 0 {
                expected.rows.differences(from: rows).count
            } else { nil }
    }
}
