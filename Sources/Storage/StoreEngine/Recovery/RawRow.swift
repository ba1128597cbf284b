import ChatelaineModel

/// A row in a page, read without SQLite: its columns are located once, and none is copied.
///
/// The end of a large row is on other pages; a column outside of the bytes at hand is nil. Columns are named by their
/// places.
struct RawRow {
    private let bytes: UnsafeRawBufferPointer
    let layout: RowLayout
    // Small values, since rows are passed by value.
    private var types = InlineArray<24, UInt32>(repeating: 0)
    /// The start of each column, and the end of the last.
    private var offsets = InlineArray<25, UInt32>(repeating: 0)
    /// Whether the row has columns that the layout lacks, so that a later version wrote it.
    let hasUnknownColumns: Bool
    /// The size of the whole record.
    let byteCount: Int

    /// Locates the columns of a record; nil for one without the shape of a row of any version.
    ///
    /// Identifier and digests are in the first few hundred bytes of a row, which never lie on other pages. Columns that
    /// were added after the row was written are NULL.
    init?(_ bytes: UnsafeRawBufferPointer, _ layout: RowLayout) {
        guard let (stated, start) = RawRecord.varint(bytes, 0), stated >= UInt64(start), stated <= UInt64(bytes.count),
            stated <= 10 * UInt64(RawRecord.maximumColumns)
        else { return nil }
        self.bytes = bytes
        self.layout = layout
        let header = Int(stated)
        let count = layout.count
        var position = start
        var end = header
        var column = 0
        offsets[0] = UInt32(end)
        while position < header {
            guard column < RawRecord.maximumColumns, let (type, length) = RawRecord.varint(bytes, position),
                position + length <= header
            else { return nil }
            position += length
            let size = RawRecord.byteCount(of: type)
            guard size <= UInt64(Int32.max) else { return nil }
            end += Int(size)
            // No row of a store comes near this size, and the offsets of its columns would overflow.
            guard end <= Int(Int32.max) else { return nil }
            if column < count {
                guard layout.accepts(type, in: column) else { return nil }
                types[column] = UInt32(type)
                offsets[column + 1] = UInt32(end)
            }
            column += 1
        }
        guard column >= layout.fewest else { return nil }
        hasUnknownColumns = column > count
        byteCount = end
        while column < count {
            column += 1
            offsets[column] = UInt32(end)
        }
    }

    /// Whether all columns whose bytes are digested are in the bytes at hand.
    var isAtHand: Bool { Int(offsets[layout.lastDigested + 1]) <= bytes.count }

    private func type(_ place: Int) -> UInt64 { UInt64(types[place]) }

    func isNull(_ place: Int) -> Bool { types[place] == 0 }

    /// The length of a column, whether its bytes are at hand or not.
    func count(_ place: Int) -> Int { Int(offsets[place + 1] - offsets[place]) }

    /// The bytes of a column, valid as long as the page; nil where they are not at hand.
    func lend(_ place: Int) -> UnsafeRawBufferPointer? {
        let (start, end) = (Int(offsets[place]), Int(offsets[place + 1]))
        return end <= bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[start..<end]) : nil
    }

    func integer(_ place: Int) -> Int64? {
        guard RawRecord.isInteger(type(place)), let bytes = lend(place) else { return nil }
        return type(place) == 9 ? 1 : RawRecord.integer(bytes)
    }

    func blob(_ place: Int) -> [UInt8]? {
        RawRecord.isBlob(type(place)) ? lend(place).map { [UInt8]($0) } : nil
    }

    var identifier: Bytes16? { lend(layout.identifier).flatMap { Bytes16($0) } }
    var version: Int64? { integer(layout.version) }

    /// The row's identifier, version and last change.
    var stamp: DamagedDatabase.RowVersion {
        let sequence = UInt64(clamping: integer(layout.sequence) ?? 0)
        return DamagedDatabase.RowVersion(
            identifier: identifier, version: UInt64(clamping: version ?? 0),
            sequence: sequence <= HighWaterMark.highestClaim ? sequence : 0)
    }

    /// Whether the row has a secret; nil where it has a part of one, as no row of a store does.
    var hasSecret: Bool? {
        guard let first = layout.secret.first else { return false }
        let isMissing = isNull(first)
        return layout.secret.allSatisfy { isNull($0) == isMissing } ? !isMissing : nil
    }
}

extension RawRow {
    /// Reads the row of a cell that is whole in its page; nil for anything else.
    init?(whole cell: RawPage.Cell, _ layout: RowLayout) {
        self.init(cell.local, layout)
        guard byteCount <= cell.payloadBytes, hasSecret != nil, isAtHand else { return nil }
    }
}

extension DamagedDatabase {
    /// Passes the readable rows of a page that continue on other pages to `body`, in their order.
    ///
    /// The rows are those that ``rows(in:wanted:_:)`` finds. Bytes beyond the digested columns, on other pages, are not
    /// read.
    func forEachLongRow(on page: RawPage?, _ body: (RawRow) -> Void) {
        page?.forEachCell { cell in
            guard let cell, cell.goesOn, let row = RawRow(cell.local, layout), row.byteCount <= cell.payloadBytes,
                row.hasSecret != nil
            else { return }
            if row.isAtHand {
                if isWhole(cell) { body(row) }
            } else if let payload = payload(cell) {
                payload.withUnsafeBytes { bytes in
                    if let row = RawRow(bytes, layout), row.isAtHand { body(row) }
                }
            }
        }
    }
}
