import ChatelaineModel

/// A row of items as it lies in a page, read without SQLite: its columns are found once, and none is copied.
///
/// Of a large row the end is on other pages; a column that is not in the bytes at hand is nil.
struct RawItem {
    private let bytes: UnsafeRawBufferPointer
    private var types = InlineArray<24, UInt64>(repeating: 0)
    /// Where each column begins, and where the last one ends.
    private var offsets = InlineArray<25, Int>(repeating: 0)
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
        let header = Int(stated)
        var position = start
        var end = header
        var column = 0
        offsets[0] = end
        while position < header {
            guard column < RawRecord.maximumColumns, let (type, length) = RawRecord.varint(bytes, position),
                position + length <= header
            else { return nil }
            position += length
            let size = RawRecord.byteCount(of: type)
            guard size <= UInt64(Int32.max) else { return nil }
            end += Int(size)
            if column < layout.count {
                guard layout.accepts(type, in: column) else { return nil }
                types[column] = type
                offsets[column + 1] = end
            }
            column += 1
        }
        guard column >= layout.fewest else { return nil }
        hasUnknownColumns = column > layout.count
        byteCount = end
        while column < layout.count {
            column += 1
            offsets[column] = end
        }
    }

    /// Whether all but the secret is in the bytes at hand.
    var isAtHand: Bool { offsets[Self.place(.secret)] <= bytes.count }

    private static func place(_ column: ItemColumn) -> Int { Int(column.rawValue) }

    private func type(_ column: ItemColumn) -> UInt64 { types[Self.place(column)] }

    func isNull(_ column: ItemColumn) -> Bool { type(column) == 0 }

    /// How many bytes a column has, wherever they are.
    func count(_ column: ItemColumn) -> Int { offsets[Self.place(column) + 1] - offsets[Self.place(column)] }

    /// The bytes of a column, lent.
    func lend(_ column: ItemColumn) -> UnsafeRawBufferPointer? {
        let (start, end) = (offsets[Self.place(column)], offsets[Self.place(column) + 1])
        return end <= bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[start..<end]) : nil
    }

    func integer(_ column: ItemColumn) -> Int64? {
        guard RawRecord.isInteger(type(column)), let bytes = lend(column) else { return nil }
        return type(column) == 9 ? 1 : RawRecord.integer(bytes)
    }

    func blob(_ column: ItemColumn) -> [UInt8]? {
        RawRecord.isBlob(type(column)) ? lend(column).map { [UInt8]($0) } : nil
    }

    var identifier: Bytes16? { lend(.uuid).flatMap { Bytes16($0) } }

    /// Which version of which row it is.
    var stamp: DamagedDatabase.RowVersion {
        let sequence = UInt64(clamping: integer(.sequence) ?? 0)
        return DamagedDatabase.RowVersion(
            uuid: identifier, version: UInt64(clamping: integer(.version) ?? 0),
            sequence: sequence <= HighWaterMark.highestClaim ? sequence : 0)
    }

    /// Whether it has a secret; nil where that is there in part, as in no row of ours.
    var hasSecret: Bool? {
        let isMissing = isNull(.secret)
        return ItemColumn.ofSecret.allSatisfy { isNull($0) == isMissing } ? !isMissing : nil
    }
}

extension DamagedDatabase {
    /// The rows of all pages that can be read as a whole, in their place: what ``rows(in:wanted:_:)`` would give, and a
    /// secret on other pages is not read.
    func forEachItem(_ body: (RawItem) -> Void) {
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            guard let page = RawPage(bytes, number: number) else { return true }
            page.forEachCell { cell in
                guard let cell, let item = RawItem(cell.local, layout), item.byteCount <= cell.payloadBytes,
                    item.hasSecret != nil
                else { return }
                if item.isAtHand {
                    if isWhole(cell) { body(item) }
                } else if let payload = payload(cell) {
                    payload.withUnsafeBytes { bytes in
                        if let item = RawItem(bytes, layout), item.isAtHand { body(item) }
                    }
                }
            }
            return true
        }
    }
}
