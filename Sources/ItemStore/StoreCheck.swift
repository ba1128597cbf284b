import ChatelaineModel

/// What one step of a full verification found; identifiers and counts, never an attribute.
public struct StoreCheck: Sendable {
    /// A row that is not what it should be.
    public struct Finding: Sendable, Equatable {
        public var identifier: ItemIdentifier
        public var itemClass: ItemClass?
        public var reason: DamageReason
        /// Where it is now.
        public var outcome: CheckOutcome
    }

    /// Where the next step begins; nil at the end.
    public var next: Int64?
    /// Rows, deleted ones among them, that this step opened.
    public var rows = 0
    /// Those of them whose class is locked, of which nothing can be said.
    public var locked = 0
    /// Rows that there are in all; in the first step only.
    public var total: Int64?
    public var findings: [Finding] = []
    /// What SQLite says of the structure of the file, and what the mark says; in the first step only.
    public var structure: [String] = []

    public init() {}
}
