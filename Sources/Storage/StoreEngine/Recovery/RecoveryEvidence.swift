import ChatelaineModel

/// What mark, snapshot and damaged file prove together: whether the file has the last change, and which may be missing.
struct RecoveryEvidence {
    /// Whether the file holds the state after the last change that anything knows of, as far as it can be read.
    let isCurrent: Bool
    /// Whether a row that the file's table does not have was deleted.
    let isComplete: Bool
    /// The number of the last change that anything knows of.
    let known: UInt64
    /// Changes that may be missing at most; nil where nobody can tell.
    let changes: UInt64?
    let since: UInt64
    let sinceDate: Double?

    /// Rows whose version in the snapshot is looked up, so that a change which is there counts as such; beyond them the bound is
    /// less close.
    private static let versionsLookedUp = 20_000

    /// - Parameters:
    ///   - marked: the number in the mark; nil where it cannot be read.
    ///   - versions: the version of a row in the snapshot, 0 where that does not have it.
    ///   - wasRecovering: whether the store was itself not yet filled from an earlier one.
    init(
        _ damaged: DamagedDatabase?, _ survey: DamagedDatabase.Survey, marked: UInt64?, snapshot: Snapshot?,
        wasRecovering: Bool, versions: (Bytes16) throws(KeychainError) -> UInt64
    ) throws(KeychainError) {
        let saved = snapshot?.sequence ?? 0
        known = max(marked ?? 0, saved, survey.sequence)
        let hasTable = damaged?.isTableComplete ?? false
        isCurrent = damaged != nil && survey.sequence >= max(marked ?? 0, saved) && !wasRecovering
        isComplete = isCurrent && (hasTable || Self.agrees(damaged, survey))
        let isCertain = marked != nil || survey.headSequence > 0
        // A whole table has all changes up to its own last one.
        let base = hasTable && !wasRecovering ? max(saved, survey.sequence) : saved
        since = base
        sinceDate =
            base == saved
            ? snapshot?.date : survey.hour.map { Double($0) * StoreClock.secondsPerHour }
        if isCertain, isComplete {
            changes = 0
        } else if isCertain {
            var account = ChangeAccount(since: base, known: known)
            var lookedUp = 0
            for row in survey.recent where row.sequence > base {
                var before: UInt64? = row.version == 1 || snapshot == nil ? 0 : nil
                if before == nil, let identifier = row.identifier, lookedUp < Self.versionsLookedUp {
                    lookedUp += 1
                    before = try versions(identifier)
                }
                account.note(version: row.version, sequence: row.sequence, before: before)
            }
            changes = account.missing
        } else {
            changes = nil
        }
    }

    /// Whether the rows of the table are those that its indices name, so that it is whole although the first page, which says
    /// where it begins, is not.
    private static func agrees(_ damaged: DamagedDatabase?, _ survey: DamagedDatabase.Survey) -> Bool {
        guard let damaged, damaged.log.distrusted.isEmpty, survey.brokenRows == 0, survey.rowSet.count > 0 else {
            return false
        }
        return IndexForest(of: damaged, shapes: [.unique]).rows(agreeingWith: survey.rowSet) == survey.rowSet
    }
}
