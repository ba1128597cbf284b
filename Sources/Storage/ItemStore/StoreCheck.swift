import ChatelaineModel

/// The findings of one step of a full verification: identifiers and counts, never an attribute.
package struct StoreCheck: Sendable {
    /// A row that the verification found damaged or under false digests.
    package struct Finding: Sendable, Equatable {
        package var identifier: ItemIdentifier
        package var itemClass: ItemClass?
        package var reason: DamageReason
        /// What became of the row.
        package var outcome: CheckOutcome
    }

    /// Where the next step begins; nil after the last step.
    package var next: Int64?
    /// Rows that this step opened, deleted rows among them.
    package var rows = 0
    /// The opened rows whose class is locked, so that their state is unknown.
    package var locked = 0
    /// The number of rows in the store; set by the first step only.
    package var total: Int64?
    package var findings: [Finding] = []
    /// Findings about the structure of the file, from SQLite, and about the mark; set by the first step only.
    package var structure: [String] = []

    package init() {}
}
