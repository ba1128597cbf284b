import ChatelaineModel

/// A look whether a store that is made anew will have the rows that our changes wrote last, where nothing seems to be missing.
///
/// Whoever may write the files could otherwise change rows, then make the database look damaged, and have the recovery take them for
/// good. Somebody waits for it: it costs about a digest for each row.
struct RecoveryProof {
    /// Rows, at least so many, that are other than those that were written last; nil where no seal tells of them.
    let altered: Int?
    /// What the rows of damaged file and snapshot come to.
    let sum: WideSum

    init(
        of store: StoreIdentifier, _ keys: IntegrityKeys, _ evidence: RecoveryEvidence, _ damaged: DamagedDatabase?,
        _ survey: DamagedDatabase.Survey, _ snapshot: Snapshot?, _ folder: SnapshotFolder, _ schema: RowSchema
    ) throws(KeychainError) {
        var expected = survey.head?.withUnsafeBytes { keys.open($0, of: store) }
        var newest = NewestTerms(capacity: survey.rows)
        var content = RowContent()
        damaged?.forEachRow { row in
            guard let identifier = row.identifier, let version = row.version else { return }
            newest.take(identifier, version) { keys.authenticator.term(of: row, &content) }
        }
        if let snapshot, !evidence.isComplete {
            let reader = try SnapshotReader(database: folder.database(of: snapshot.name), schema: schema)
            if expected?.sequence != evidence.known { expected = try reader.head(keys, of: store) }
            try reader.forEachTerm(keys.authenticator) { newest.take($0, $1, $2) }
        }
        sum = newest.sum
        altered =
            if let expected, expected.sequence == evidence.known, expected.recovery == 0 {
                expected.rows.differences(from: newest.rows).count
            } else { nil }
    }
}

/// The sums of rows of which several versions may come, in pages that the log has anew and from a snapshot: the newest counts.
///
/// About ninety bytes for each row, while a recovery begins.
private struct NewestTerms {
    private(set) var rows = RowMultiset()
    private(set) var sum = WideSum()
    private var places: [Bytes16: Int] = [:]
    private var versions: [Int64] = []
    private var values: [WideSum] = []

    init(capacity: Int) {
        places.reserveCapacity(capacity)
        versions.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
    }

    /// - Parameter compute: called only where this version counts.
    mutating func take(_ identifier: Bytes16, _ version: Int64, _ compute: () -> RowTerm) {
        if let place = places[identifier] {
            guard versions[place] < version else { return }
            let term = compute()
            rows.remove(RowTerm(bucket: term.bucket, value: values[place]))
            sum &-= values[place]
            (versions[place], values[place]) = (version, term.value)
            add(term)
        } else {
            let term = compute()
            places[identifier] = values.count
            versions.append(version)
            values.append(term.value)
            add(term)
        }
    }

    private mutating func add(_ term: RowTerm) {
        rows.insert(term)
        sum &+= term.value
    }
}
