import ChatelaineModel

/// What a client asks of securityd. Each lists what it fails with besides `errSecNotAvailable` (the store, the disk or
/// the key custodian is not usable), `errSecMissingEntitlement` (the caller has no access group, or names a foreign
/// one) and `errSecAuthFailed` (the caller's executable changed; behaviour/callers.md, 9).
public enum Request: Sendable {
    /// Items follow the header. `errSecItemNotFound`, `errSecInteractionNotAllowed`, `errSecParam`.
    case find(ItemQuery)
    /// The new item follows the header. `errSecDuplicateItem`, `errSecUnimplemented`, `errSecDataTooLarge`, `errSecParam`.
    case add(RequestIdentifier, NewItem)
    /// `errSecItemNotFound`, `errSecDuplicateItem`, `errSecInteractionNotAllowed`, `errSecParam`.
    case update(RequestIdentifier, ItemQuery, ItemChange)
    /// `errSecItemNotFound`, `errSecParam`.
    case delete(RequestIdentifier, ItemQuery)
    /// A ``DaemonReport`` follows the header; it fails for nobody.
    case status
    /// ``ApplicationDecision``s follow the header: those that the command left or removed. `errSecItemNotFound`,
    /// `errSecParam`.
    case applications(ApplicationCommand)
    /// ``SnapshotRecord``s follow the header: those that the command left, took, made the store, or deleted.
    /// `errSecItemNotFound`.
    case snapshots(SnapshotCommand)
    /// A ``CheckStep`` follows the header: what a part of a full verification found. Begins at position 0.
    case check(position: UInt64)
    /// A ``LossSummary`` follows the header: as it is, or as it was before it was acknowledged.
    case losses(LossCommand)

    /// Whether it changes items, so that it must not be carried out twice.
    var isChange: Bool {
        switch self {
        case .add, .update, .delete: true
        case .find, .status, .applications, .snapshots, .check, .losses: false
        }
    }
}
