/// Keys that rows which are written may name no more, since they are to be destroyed.
///
/// Known to the writer of a store, so that whatever is written after a look at all rows has met it.
package struct BarredKeys: Sendable {
    /// For changes: they are prepared anew.
    private(set) var ofChanges: Set<Int64> = []
    /// For rows that come as they are, from a snapshot: they stay away.
    private(set) var ofAll: Set<Int64> = []

    mutating func bar(_ keys: Set<Int64>, strictly: Bool) {
        ofChanges.formUnion(keys)
        if strictly { ofAll.formUnion(keys) }
    }

    /// Whether a change may not write a row that names this key.
    package func isBarred(_ key: Int64) -> Bool { !ofChanges.isEmpty && ofChanges.contains(key) }

    /// Whether a row may not be taken over.
    func isBarred(_ row: WholeRow) -> Bool { !ofAll.isEmpty && row.names(ofAll) }
}

extension WholeRow {
    /// Whether one of these keys seals a part of the row.
    func names(_ keys: Set<Int64>) -> Bool {
        layout.keyNames.contains { if case .integer(let key) = self[$0] { keys.contains(key) } else { false } }
    }
}
