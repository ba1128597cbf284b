/// What has become of the rows of a damaged store.
package struct RecoveryCounts: Sendable, Equatable {
    /// Taken over as they were.
    package var salvaged = 0
    /// Taken from a snapshot, where they may be older or may have been deleted since.
    package var restored = 0
    /// Did not open, and are in the quarantine.
    package var setAside = 0
    /// Known by an index only.
    package var lost = 0
}

extension RecoveryCounts: CustomStringConvertible {
    package var description: String {
        "\(salvaged) items as they were, \(restored) from a snapshot, \(setAside) damaged and set aside, \(lost) lost"
    }
}
