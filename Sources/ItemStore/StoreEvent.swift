import ChatelaineModel

/// Something that people should hear of, for the daemon's log; never holds a secret or an attribute.
public enum StoreEvent: Sendable {
    /// A damaged row was taken out of the way; its bytes are in the quarantine.
    case quarantined(ItemClass?, DamageReason)
    /// A damaged row was met and could not be moved.
    case quarantineFailed(KeychainError)
    /// The mark is ahead of the database: acknowledged changes are gone, as after a truncated WAL or an old copy.
    case changesLost(marked: UInt64, found: UInt64)
    /// The mark was missing beside a database with rows, and was written anew.
    case markMissing
    /// The mark was garbled; it is kept beside the new one. Whether changes were lost cannot be told.
    case markDamaged
    /// The mark could not be written; the change itself is safe.
    case markFailed(KeychainError)
    /// Clearing away old tombstones and requests failed; it is tried again.
    case maintenanceFailed(KeychainError)
    /// A damaged row was replaced by the one in a snapshot, which may be older.
    case restored(ItemClass?, snapshot: String)
    /// A damaged store was set aside, and another is being filled from what is left of it and from a snapshot.
    case recoveryBegun(folder: String?, snapshot: String?, RecoveryCause)
    /// It goes on as soon as it can.
    case recoveryInterrupted(KeychainError)
    case recoveryFinished(RecoveryCounts)
    case snapshotTaken(Snapshot)
    /// The store is as it was; it is tried again.
    case snapshotFailed(KeychainError)
    /// A snapshot cannot be read, and counts as none.
    case snapshotUnusable(String, KeychainError)
    /// SQLite met damage, which a second opening confirmed, or did not.
    case damageMet(isConfirmed: Bool)
    /// A lock of the database could not be had; the store is opened anew.
    case locked
    /// What was lost could not be listed; the log has it.
    case listFailed(KeychainError)
}

extension StoreEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .quarantined(let itemClass, let reason):
            "a damaged row (\(itemClass?.name ?? "unknown class"): \(reason)) was moved to the quarantine"
        case .quarantineFailed(let error): "a damaged row could not be moved to the quarantine: \(error.reason)"
        case .changesLost(let marked, let found):
            "acknowledged changes are missing: the mark stands at \(marked), the database at \(found)"
        case .markMissing: "the mark was missing beside a database with items, and was written anew"
        case .markFailed(let error): "the mark could not be written; the change is safe: \(error.reason)"
        case .markDamaged:
            "the mark was damaged: whether changes are missing cannot be told; it is kept, and a new one written"
        case .maintenanceFailed(let error): "old tombstones and answers could not be cleared away: \(error.reason)"
        case .restored(let itemClass, let snapshot):
            "a damaged row (\(itemClass?.name ?? "unknown class")) was replaced by that of snapshot \(snapshot), which may be "
                + "older"
        case .recoveryBegun(let folder, let snapshot, let cause):
            "\(cause): the store \(folder.map { "was set aside as \($0)" } ?? "is made anew"); its items are taken from there"
                + (snapshot.map { ", and what is damaged from snapshot \($0)" } ?? "; there is no snapshot")
        case .recoveryInterrupted(let error): "the recovery of the store waits: \(error.reason)"
        case .recoveryFinished(let counts): "the recovery of the store is done: \(counts)"
        case .snapshotTaken(let snapshot): "snapshot \(snapshot.name) was taken (\(snapshot.items) items)"
        case .snapshotFailed(let error): "a snapshot could not be taken: \(error.reason)"
        case .snapshotUnusable(let name, let error): "snapshot \(name) cannot be used: \(error.reason)"
        case .damageMet(true): "the database is damaged; a second opening confirms it"
        case .damageMet(false): "the database seemed damaged, and a second opening found it whole; it is opened anew"
        case .locked: "a lock of the database could not be had; it is opened anew"
        case .listFailed(let error): "a loss could not be listed: \(error.reason)"
        }
    }
}
