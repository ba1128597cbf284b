/// What can be done with snapshots of the store (`security snapshot`).
public enum SnapshotCommand: Sendable, Equatable {
    case list
    /// Takes one now.
    case take
    /// Makes a copy of one the store; what it replaces is kept aside.
    case restore(name: String)
    /// Deletes one, with what it keeps of items that were deleted since.
    case delete(name: String)
    /// Deletes all but the newest few.
    case deleteAll(kept: UInt64)
}
