import ChatelaineModel

/// A look whether a store that is made anew will have the rows that our changes wrote last, where nothing seems to be missing.
///
/// Whoever may write the files could otherwise change rows, then make the database look damaged, and have the recovery take them for
/// good. Somebody waits for it: it costs about a digest for each row (``RowTerms``).
struct RecoveryProof {
    /// Rows, at least so many, that are other than those that were written last; nil where no seal tells of them.
    let altered: Int?
    /// What the rows of damaged file and snapshot come to.
    let sum: UInt256

    init(
        of store: StoreIdentifier, _ keys: IntegrityKeys, _ evidence: RecoveryEvidence, _ damaged: DamagedDatabase?,
        _ survey: DamagedDatabase.Survey, _ snapshot: Snapshot?, _ folder: SnapshotFolder, _ schema: RowSchema
    ) throws(KeychainError) {
        var expected = survey.head?.withUnsafeBytes { keys.open($0, of: store) }
        var newest = NewestTerms(capacity: survey.rows)
        if let damaged {
            RowTerms(database: damaged, authenticator: keys.authenticator).forEach { found in
                if let claim = newest.claim(found.identifier, found.version) { newest.settle(claim, found.term) }
            }
        }
        if let snapshot, !evidence.isComplete {
            let reader = try SnapshotReader(database: folder.database(of: snapshot.name), schema: schema)
            if expected?.sequence != evidence.known { expected = try reader.head(keys, of: store) }
            try reader.forEachTerm(keys.authenticator) { identifier, version, term in
                if let claim = newest.claim(identifier, version) { newest.settle(claim, term()) }
            }
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
    private(set) var rows = RowMultisetHash()
    private(set) var sum = UInt256()
    private var places: [Bytes16: Int] = [:]
    private var versions: [Int64] = []
    private var values: [UInt256] = []

    init(capacity: Int) {
        places.reserveCapacity(capacity)
        versions.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
    }

    /// A version that counts, for now.
    struct Claim {
        fileprivate let place: Int
        fileprivate let isFirst: Bool
    }

    /// The claim of a version, which ``settle(_:_:)`` follows; nil where a newer one has come before.
    mutating func claim(_ identifier: Bytes16, _ version: Int64) -> Claim? {
        let next = values.count
        let place = Self.value(of: &places[identifier, default: next])
        guard place < next else {
            versions.append(version)
            values.append(UInt256())
            return Claim(place: place, isFirst: true)
        }
        guard versions[place] < version else { return nil }
        versions[place] = version
        return Claim(place: place, isFirst: false)
    }

    /// Lent to be changed, what is missing comes to be: one look into the dictionary, of which there are millions.
    private static func value(of place: inout Int) -> Int { place }

    mutating func settle(_ claim: Claim, _ term: RowTerm) {
        if !claim.isFirst {
            rows.remove(RowTerm(bucket: term.bucket, value: values[claim.place]))
            sum &-= values[claim.place]
        }
        values[claim.place] = term.value
        rows.insert(term)
        sum &+= term.value
    }
}
