import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Verifies the next part of the store.
    ///
    /// The caller begins with position 0 and goes on with ``StoreCheck/next``. The first step is SQLite's own check of
    /// pages and indices, which takes seconds for a million items, and a check of the mark. The other steps open every
    /// row, secret included, and compare it with all its digests. A damaged row goes to the quarantine, as when a
    /// search meets it. Damage to the structure makes the store need reopening as damaged (``isDamaged``).
    package func check(from position: Int64) throws(KeychainError) -> StoreCheck {
        StoreCheck(try engine.check(from: position))
    }
}

extension ItemStore {
    /// ``RowStore/endChecks()``
    package func endChecks() { engine.endChecks() }
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
