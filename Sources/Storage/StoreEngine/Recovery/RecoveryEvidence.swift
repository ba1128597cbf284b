import ChatelaineModel

/// The combined evidence of mark, snapshot and damaged file: whether the file has the last change, and which may be
/// missing.
struct RecoveryEvidence {
    /// Whether the file has the state after the last known change, as far as it is readable.
    let isCurrent: Bool
    /// Whether a row that is missing from the file's table was deleted.
    let isComplete: Bool
    /// The number of the last change in any source.
    let known: UInt64
    /// The most changes that may be missing; nil where the number is unknown.
    let changes: UInt64?
    let since: UInt64
    let sinceDate: Double?

    /// Rows whose version in the snapshot is looked up, which proves some of their changes; beyond them the bound is
    /// less close.
    private static let versionsLookedUp = 20_000

    /// Evaluates the evidence.
    ///
    /// - Parameters:
    ///   - marked: the number in the mark; nil for an unreadable one.
    ///   - versions: the version of a row in the snapshot; 0 for a row that it lacks.
    ///   - wasRecovering: whether the store itself was not yet filled from an earlier one.
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

    /// Whether the table's rows are those that its indices name.
    ///
    /// Then the table is whole even where the first page, which names its root, is not.
    private static func agrees(_ damaged: DamagedDatabase?, _ survey: DamagedDatabase.Survey) -> Bool {
        guard let damaged, damaged.log.distrusted.isEmpty, survey.brokenRows == 0, survey.rowSet.count > 0 else {
            return false
        }
        return IndexForest(of: damaged, shapes: [.unique]).rows(agreeingWith: survey.rowSet) == survey.rowSet
    }
}
