/// The keys that written rows may no longer name, since they are to be destroyed.
///
/// The store's writer has them, so that every write after a look at all rows respects them.
package struct BarredKeys: Sendable {
    /// Keys barred for changes, which are then prepared anew.
    private(set) var ofChanges: Set<Int64> = []
    /// Keys barred for rows of a snapshot, too, which are then left out.
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
