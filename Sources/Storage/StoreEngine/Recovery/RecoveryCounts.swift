/// The numbers of a damaged store's rows by what became of them.
package struct RecoveryCounts: Sendable, Equatable {
    /// Rows taken over unchanged.
    package var salvaged = 0
    /// Rows taken from a snapshot, which may be older or may have been deleted since.
    package var restored = 0
    /// Rows that did not open, and are in the quarantine.
    package var setAside = 0
    /// Rows that only an index names.
    package var lost = 0
}

extension RecoveryCounts: CustomStringConvertible {
    package var description: String {
        "\(salvaged) items as they were, \(restored) from a snapshot, \(setAside) damaged and set aside, \(lost) lost"
    }
}
