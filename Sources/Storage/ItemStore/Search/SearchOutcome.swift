import StoreEngine

/// The result of one pass of a search over one state of the store.
struct SearchOutcome: Sendable {
    var rows: [OpenedRow] = []
    var damaged: [DamagedRow] = []
    /// The number of sealed bytes in the damaged rows.
    var damagedBytes = 0
    /// Every row that an index led to, matching or not; kept for changes only.
    var stamps: [RowStamp] = []
    /// The store's sequence in that state; kept for changes only.
    var sequence: UInt64 = 0
    /// Metadata keys that have to be fetched before the pass is repeated.
    var missingKeys: Set<UInt32> = []
    /// The number of sealed bytes in the rows.
    var byteCount = 0
    /// Whether the rows exceed the plan's byte limit, so that some are missing.
    var isLarge = false
    /// Whether rows of a damaged file have to be brought before the pass is repeated.
    var needsBringing = false

    /// Whether the pass ended because of its damaged rows, so that others may follow.
    var isFullOfDamage: Bool {
        damaged.count >= SearchPlan.maximumDamaged || damagedBytes >= SearchPlan.maximumDamagedBytes
    }

    /// Whether a pass has all that it may have.
    func isEnded(_ plan: SearchPlan) -> Bool { rows.count >= plan.maximum || isLarge || isFullOfDamage }
}

/// A row and its version, by which a change notices that another change came first.
struct RowStamp: Hashable, Sendable {
    let uuid: [UInt8]
    let version: Int64

    init(_ statement: PreparedStatement) {
        uuid = statement.bytes(StoredRow.Column.uuid)
        version = statement.integer(StoredRow.Column.version)
    }
}
