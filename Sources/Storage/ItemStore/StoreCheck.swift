import ChatelaineModel

/// What one step of a full verification found; identifiers and counts, never an attribute.
package struct StoreCheck: Sendable {
    /// A row that is not what it should be.
    package struct Finding: Sendable, Equatable {
        package var identifier: ItemIdentifier
        package var itemClass: ItemClass?
        package var reason: DamageReason
        /// Where it is now.
        package var outcome: CheckOutcome
    }

    /// Where the next step begins; nil at the end.
    package var next: Int64?
    /// Rows, deleted ones among them, that this step opened.
    package var rows = 0
    /// Those of them whose class is locked, of which nothing can be said.
    package var locked = 0
    /// Rows that there are in all; in the first step only.
    package var total: Int64?
    package var findings: [Finding] = []
    /// What SQLite says of the structure of the file, and what the mark says; in the first step only.
    package var structure: [String] = []

    package init() {}
}
