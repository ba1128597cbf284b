import ChatelaineModel

/// A row that did not open, with what was read of it, so that a second reading can confirm it.
struct DamagedRow: Sendable {
    let stored: StoredRow
    let hasSecret: Bool
    let reason: DamageReason
}
