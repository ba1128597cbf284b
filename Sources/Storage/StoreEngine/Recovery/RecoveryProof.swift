import ChatelaineModel

/// The check that a store that is made anew has the last written rows, where none seems to be missing.
///
/// Without it, whoever may write the files could change rows, make the database look damaged, and have the recovery
/// accept the changed rows. The check costs about a digest for each row (``RowTerms``), while somebody waits.
struct RecoveryProof {
    /// The least number of rows that differ from the last written ones; nil without a seal to compare with.
    let altered: Int?
    /// The sum of the terms of all rows of damaged file and snapshot.
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

/// The sums of the newest versions of rows; older versions may come from the file, the log and a snapshot.
///
/// It takes about ninety bytes for each row, while a recovery begins.
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

    /// A version that is the newest so far.
    struct Claim {
        fileprivate let place: Int
        fileprivate let isFirst: Bool
    }

    /// Claims the place of a row for a version, before ``settle(_:_:)``; nil where a newer version has come before.
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

    /// Creates a missing entry through `inout`, which costs one look-up in the dictionary, of which there are millions.
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
