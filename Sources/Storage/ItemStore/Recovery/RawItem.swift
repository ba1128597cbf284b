import ChatelaineModel

/// A row of items as it lies in a page, read without SQLite: its columns are found once, and none is copied.
///
/// Of a large row the end is on other pages; a column that is not in the bytes at hand is nil.
struct RawItem {
    /// Places of columns in the record, which begins with the row id; those of all others are in ``WholeRow``.
    enum Column {
        static let uuid = 1
        static let version = 6
        static let sequence = 7
        static let digests = 8...14
        /// Those that all rows do not share.
        static let lookedUp = 9...14
        static let metadataKey = 15
        static let metadata = 16
        static let classKey = 17
        static let rowKey = 18
        static let secret = 19
    }

    private let bytes: UnsafeRawBufferPointer
    private var types = InlineArray<20, UInt64>(repeating: 0)
    /// Where each column begins, and where the last one ends.
    private var offsets = InlineArray<21, Int>(repeating: 0)

    /// Nil for a record that is not shaped as a row.
    ///
    /// Identifier and digests are in the first few hundred bytes of a row, which no row has on other pages.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let (stated, start) = RawRecord.varint(bytes, 0), stated >= UInt64(start), stated <= UInt64(bytes.count),
            stated <= 10 * UInt64(RawRecord.maximumColumns)
        else { return nil }
        self.bytes = bytes
        let header = Int(stated)
        var position = start
        offsets[0] = header
        for column in 0..<WholeRow.columnCount {
            guard position < header, let (type, length) = RawRecord.varint(bytes, position),
                position + length <= header, Self.isShaped(type, column)
            else { return nil }
            position += length
            let size = RawRecord.byteCount(of: type)
            guard size <= UInt64(Int32.max) else { return nil }
            types[column] = type
            offsets[column + 1] = offsets[column] + Int(size)
        }
        guard position == header else { return nil }
    }

    private static func isShaped(_ type: UInt64, _ column: Int) -> Bool {
        switch column {
        case 0: type == 0
        case 1, 8: RawRecord.isBlob(type, 16)
        case 9: RawRecord.isBlob(type, 32)
        case 10...14: type == 0 || RawRecord.isBlob(type, 16)
        case 2...7, 15: type >= 1 && type <= 9 && type != 7
        case 16: type >= 12 && type % 2 == 0
        default: true
        }
    }

    /// Bytes of the whole record.
    var byteCount: Int { offsets[WholeRow.columnCount] }

    /// Whether all but the secret is in the bytes at hand.
    var isAtHand: Bool { offsets[Column.secret] <= bytes.count }

    func isNull(_ column: Int) -> Bool { types[column] == 0 }

    func isBlob(_ column: Int) -> Bool { types[column] >= 12 && types[column] % 2 == 0 }

    func isInteger(_ column: Int) -> Bool { types[column] >= 1 && types[column] <= 9 && types[column] != 7 }

    /// How many bytes a column has, wherever they are.
    func count(_ column: Int) -> Int { offsets[column + 1] - offsets[column] }

    /// The bytes of a column, lent.
    func lend(_ column: Int) -> UnsafeRawBufferPointer? {
        guard offsets[column + 1] <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[offsets[column]..<offsets[column + 1]])
    }

    func integer(_ column: Int) -> Int64? {
        guard isInteger(column), let bytes = lend(column) else { return nil }
        return types[column] == 9 ? 1 : RawRecord.integer(bytes)
    }

    var identifier: Bytes16? { lend(Column.uuid).flatMap { Bytes16($0) } }

    /// Which version of which row it is.
    var stamp: DamagedDatabase.RowVersion {
        let sequence = UInt64(clamping: integer(Column.sequence) ?? 0)
        return DamagedDatabase.RowVersion(
            uuid: identifier, version: UInt64(clamping: integer(Column.version) ?? 0),
            sequence: sequence <= HighWaterMark.highestClaim ? sequence : 0)
    }

    /// Whether it has a secret; nil where that is there in part, as in no row of ours.
    var hasSecret: Bool? {
        let parts = (isInteger(Column.classKey), isBlob(Column.rowKey), isBlob(Column.secret))
        if parts == (true, true, true) { return true }
        return parts == (false, false, false) ? false : nil
    }
}

extension DamagedDatabase {
    /// The rows of all pages that can be read as a whole, in their place: what ``rows(in:wanted:_:)`` would give, and a
    /// secret on other pages is not read.
    func forEachItem(_ body: (RawItem) -> Void) {
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            guard let page = RawPage(bytes, number: number) else { return true }
            page.forEachCell { cell in
                guard let cell, let item = RawItem(cell.local), item.byteCount <= cell.payloadBytes,
                    item.hasSecret != nil
                else { return }
                if item.isAtHand {
                    if isWhole(cell) { body(item) }
                } else if let payload = payload(cell) {
                    payload.withUnsafeBytes { bytes in if let item = RawItem(bytes), item.isAtHand { body(item) } }
                }
            }
            return true
        }
    }
}
