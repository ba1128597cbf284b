/// A record of an index of a table of rows, recognised by its shape.
///
/// Only the first page of the database says which page belongs to which index, and it may be the damaged one.
struct IndexEntry {
    enum Shape: Hashable, Sendable {
        /// Sixteen bytes: the identifier, or a digest of searches.
        case short
        /// The unique digest and the flag of tombstones.
        ///
        /// The index of a table without tombstones has another shape, and is left out: identifiers name such rows.
        case unique
        /// The class and the digest of the group.
        case group
    }

    let shape: Shape
    /// The key of the index, an identifier or a digest; valid as long as the page.
    let value: UnsafeRawBufferPointer
    /// The id of the row that the record leads to.
    let row: Int64

    private typealias Column = (type: UInt64, bytes: UnsafeRawBufferPointer)

    /// Decodes a record; nil for another shape, or a missing part.
    init?(_ payload: UnsafeRawBufferPointer) {
        // Three variables, not an array: a large store has millions of records, and somebody waits.
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
