import ChatelaineModel
import StoreEngine

/// The searches during a recovery: they read rows in the pages of a damaged file, or bring them into the store first.
extension ItemStore {
    /// The rows that a search finds in pages; nil where it has to bring all rows that could match.
    func pendingRows(of plan: SearchPlan) throws(KeychainError) -> [PendingRow]? {
        guard plan.probes.allSatisfy(\.isOfFew) else { return nil }
        return try engine.pendingRows(of: plan.values)
    }

    func bringRows(of plan: SearchPlan) throws(KeychainError) {
        try engine.bring(plan.values, usingIndex: plan.probes.allSatisfy(\.isOfFew))
    }

    /// Whether the result from store and pages is complete, so that bringing further rows would add nothing.
    func isAll(
        _ outcome: SearchOutcome, besides pending: [PendingRow], of plan: SearchPlan
    ) throws(KeychainError) -> Bool {
        if outcome.needsBringing { return false }
        // Rows of a snapshot come after all others, so that a full result needs none of them.
        if outcome.isEnded(plan) { return true }
        let known = Set(pending.map(\.content.identifier) + outcome.rows.map(\.context.row.bytes))
        return try !engine.hasSavedRows(of: plan.values, besides: known)
    }

    /// Judges a row of a page like one of the store; a damaged row makes the search bring its rows.
    func take(
        _ row: PendingRow, _ plan: SearchPlan, _ probe: SearchProbe, _ reader: Reader, _ opener: RowOpener,
        _ excluded: Set<Int64>, _ outcome: inout SearchOutcome
    ) throws(KeychainError) {
        try plan.run(probe, on: row, reader.statements) { (statement) throws(KeychainError) in
            let damaged = outcome.damaged.count
            try Self.take(statement, plan, probe, opener, stamps: false, excluded, &outcome, verifying: digests)
            if outcome.damaged.count > damaged {
                outcome.damaged.removeLast()
                outcome.needsBringing = true
            }
        }
    }
}

extension SearchPlan {
    /// The digests or identifiers of the plan's look-ups.
    fileprivate var values: [[UInt8]] { probes.map(\.value.array) }
}
