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
    /// The mark could not be written; the change itself is safe.
    case markFailed(KeychainError)
    /// Clearing away old tombstones and requests failed; it is tried again.
    case maintenanceFailed(KeychainError)
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
        case .maintenanceFailed(let error): "old tombstones and answers could not be cleared away: \(error.reason)"
        }
    }
}
