import ChatelaineModel
import StoreEngine

/// Searches during a recovery: rows of a damaged file are read in its pages, or brought into the store first.
extension ItemStore {
    /// What a search finds in pages; nil where it has to bring what could match.
    func pendingRows(of plan: SearchPlan) throws(KeychainError) -> [PendingRow]? {
        guard plan.probes.allSatisfy(\.isOfFew) else { return nil }
        return try engine.pendingRows(of: plan.values)
    }

    func bringRows(of plan: SearchPlan) throws(KeychainError) {
        try engine.bring(plan.values, usingIndex: plan.probes.allSatisfy(\.isOfFew))
    }

    /// Whether bringing what could match would add nothing to what was found in store and pages.
    func isAll(
        _ outcome: SearchOutcome, besides pending: [PendingRow], of plan: SearchPlan
    ) throws(KeychainError) -> Bool {
        if outcome.needsBringing { return false }
        // Those of a snapshot come behind all others.
        if outcome.rows.count >= plan.maximum || outcome.isLarge { return true }
        let known = Set(pending.map(\.content.identifier) + outcome.rows.map(\.context.row.bytes))
        return try !engine.hasSavedRows(of: plan.values, besides: known)
    }

    /// Takes a row of a page as one of the store; one that is damaged is left to whoever brings it.
    func take(
        _ row: PendingRow, _ plan: SearchPlan, _ probe: SearchProbe, _ reader: Reader, _ opener: RowOpener,
        _ excluded: Set<Int64>, _ outcome: inout SearchOutcome
    ) throws(KeychainError) {
        try plan.run(probe, on: row, reader.statements) { (statement) throws(KeychainError) in
            let (count, damaged) = (outcome.rows.count, outcome.damaged.count)
            try Self.take(statement, plan, probe, opener, stamps: false, excluded, &outcome, verifying: digests)
            if outcome.rows.count > count { outcome.rows[count].isPending = true }
            if outcome.damaged.count > damaged {
                outcome.damaged.removeLast()
                outcome.needsBringing = true
            }
        }
    }
}

extension SearchPlan {
    /// The digests or identifiers that its look-ups are for.
    fileprivate var values: [[UInt8]] { probes.map(\.value.array) }
}
