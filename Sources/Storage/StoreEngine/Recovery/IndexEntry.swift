/// A record of one of the indices of a table of rows, told by its shape: which page belongs to which index stands in the first page
/// of the database alone, and that may be the damaged one.
struct IndexEntry {
    enum Shape: Hashable, Sendable {
        /// Of sixteen bytes: the identifier, or one of the digests to search by.
        case short
        /// Of the unique digest and the flag of tombstones. The index of a table without tombstones has another shape, and is passed
        /// over: its rows are known by their identifiers.
        case unique
        /// Of class and group digest.
        case group
    }

    let shape: Shape
    /// What the index leads by: identifier or digest; lent.
    let value: UnsafeRawBufferPointer
    /// The row that it leads to.
    let row: Int64

    private typealias Column = (type: UInt64, bytes: UnsafeRawBufferPointer)

    /// Nil for a record of another shape, or one of which a part is missing.
    init?(_ payload: UnsafeRawBufferPointer) {
        // No array: a large store has millions of them, and somebody waits.
        var first: Column?
        var second: Column?
        var third: Column?
        var count = 0
        let isWhole = RawRecord.walk(payload) { type, bytes in
            guard count < 3, let bytes else { return false }
            switch count {
            case 0: first = (type, bytes)
            case 1: second = (type, bytes)
            default: third = (type, bytes)
            }
            count += 1
            return true
        }
        guard isWhole, let first, let second, let row = Self.integer(third ?? second), row > 0 else { return nil }
        self.row = row
        switch count {
        case 2 where RawRecord.isBlob(first.type, 16):
            shape = .short
            value = first.bytes
        case 3 where RawRecord.isBlob(first.type, 32) && Self.integer(second) != nil:
            shape = .unique
            value = first.bytes
        case 3 where RawRecord.isBlob(second.type, 16) && Self.integer(first) != nil:
            shape = .group
            value = second.bytes
        default: return nil
        }
    }

    private static func integer(_ column: Column) -> Int64? {
        switch column.type {
        case 1...6: RawRecord.integer(column.bytes)
        case 8: 0
        case 9: 1
        default: nil
        }
    }
}
