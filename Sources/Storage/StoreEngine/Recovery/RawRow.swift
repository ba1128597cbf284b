import ChatelaineModel

/// A row as it lies in a page, read without SQLite: its columns are found once, and none is copied.
///
/// Of a large row the end is on other pages; a column that is not in the bytes at hand is nil. Columns are named by their places.
struct RawRow {
    private let bytes: UnsafeRawBufferPointer
    let layout: RowLayout
    // Small, since rows are handed on by value.
    private var types = InlineArray<24, UInt32>(repeating: 0)
    /// Where each column begins, and where the last one ends.
    private var offsets = InlineArray<25, UInt32>(repeating: 0)
    /// Whether there are columns that the layout does not have: the row is one of a later version.
    let hasUnknownColumns: Bool
    /// Bytes of the whole record.
    let byteCount: Int

    /// Nil for a record that is not shaped as a row of any version.
    ///
    /// Identifier and digests are in the first few hundred bytes of a row, which no row has on other pages. Columns that were added
    /// after the row was written are NULL.
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
            // No row of ours is anywhere near it, and the places of its columns would not fit.
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

    /// Whether all whose bytes are digested is in the bytes at hand.
    var isAtHand: Bool { Int(offsets[layout.lastDigested + 1]) <= bytes.count }

    private func type(_ place: Int) -> UInt64 { UInt64(types[place]) }

    func isNull(_ place: Int) -> Bool { types[place] == 0 }

    /// How many bytes a column has, wherever they are.
    func count(_ place: Int) -> Int { Int(offsets[place + 1] - offsets[place]) }

    /// The bytes of a column, lent.
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

    /// Which version of which row it is.
    var stamp: DamagedDatabase.RowVersion {
        let sequence = UInt64(clamping: integer(layout.sequence) ?? 0)
        return DamagedDatabase.RowVersion(
            identifier: identifier, version: UInt64(clamping: version ?? 0),
            sequence: sequence <= HighWaterMark.highestClaim ? sequence : 0)
    }

    /// Whether it has what is sealed apart; nil where that is there in part, as in no row of ours.
    var hasSecret: Bool? {
        guard let first = layout.secret.first else { return false }
        let isMissing = isNull(first)
        return layout.secret.allSatisfy { isNull($0) == isMissing } ? !isMissing : nil
    }
}

extension RawRow {
    /// The row of a cell that is in its page as a whole; nil for what is none.
    init?(whole cell: RawPage.Cell, _ layout: RowLayout) {
        self.init(cell.local, layout)
        guard byteCount <= cell.payloadBytes, hasSecret != nil, isAtHand else { return nil }
    }
}

extension DamagedDatabase {
    /// The rows of a page that go on in others and can be read, in their place: what ``rows(in:wanted:_:)`` would give, and what is
    /// behind the digested columns, on other pages, is not read.
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
