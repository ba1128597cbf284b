import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Verifies the next part; begin with position 0, and go on with ``StoreCheck/next``.
    ///
    /// The first step is SQLite's own check of pages and indices, which takes seconds for a million items, and the mark.
    /// The others open every row, secret included, and compare it with all its digests. A damaged row goes to the
    /// quarantine, as when a search meets it; damage to the structure makes the store one to be opened anew
    /// (``isDamaged``).
    package func check(from position: Int64) throws(KeychainError) -> StoreCheck {
        StoreCheck(try engine.check(from: position))
    }
}

extension StoreCheck {
    fileprivate init(_ check: RowCheck) {
        next = check.next
        rows = check.rows
        locked = check.locked
        total = check.total
        structure = check.structure
        findings = check.findings.map { finding in
            Finding(
                identifier: ItemIdentifier(finding.row.uuid) ?? ItemIdentifier(),
                itemClass: ItemClass(column: finding.row.itemClass), reason: finding.reason, outcome: finding.outcome)
        }
    }
}
