import StoreEngine

/// What one pass of a search over one state of the store brought up.
struct SearchOutcome: Sendable {
    var rows: [OpenedRow] = []
    var damaged: [DamagedRow] = []
    /// Every row that an index brought up, matching or not; kept for changes only.
    var stamps: [RowStamp] = []
    /// The store's sequence at that moment; kept for changes only.
    var sequence: UInt64 = 0
    /// Metadata keys that have to be fetched before the pass can be made anew.
    var missingKeys: Set<UInt32> = []
    /// Sealed bytes that the rows hold.
    var byteCount = 0
    /// There were more of them than the plan allows; the rows are not all here.
    var isLarge = false
    /// Rows of a damaged file have to be brought before the pass can be made anew.
    var needsBringing = false
}

/// A row and its version, by which a change notices that somebody else was faster.
struct RowStamp: Hashable, Sendable {
    let uuid: [UInt8]
    let version: Int64

    init(_ statement: PreparedStatement) {
        uuid = statement.bytes(StoredRow.Column.uuid)
        version = statement.integer(StoredRow.Column.version)
    }
}
