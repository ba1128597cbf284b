/// What has become of the rows of a damaged store.
public struct RecoveryCounts: Sendable, Equatable {
    /// Taken over as they were.
    public var salvaged = 0
    /// Taken from a snapshot, where they may be older or may have been deleted since.
    public var restored = 0
    /// Did not open, and are in the quarantine.
    public var setAside = 0
    /// Known by an index only.
    public var lost = 0
}

extension RecoveryCounts: CustomStringConvertible {
    public var description: String {
        "\(salvaged) items as they were, \(restored) from a snapshot, \(setAside) damaged and set aside, \(lost) lost"
    }
}
