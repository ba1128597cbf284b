import ChatelaineModel
import Sealing

/// A row as it is in the file, copied out.
struct StoredRow: Equatable, Sendable {
    let row: Int64
    let uuid: [UInt8]
    let itemClass: Int64
    let accessibility: Int64
    let sync: Int64
    let tomb: Int64
    let version: Int64
    let groupDigest: [UInt8]
    let uniqueDigest: [UInt8]
    let metadataKey: Int64
    let metadata: [UInt8]
    let secret: SealedSecret?

    /// Columns of ``StoreStatement``'s searches, by their place.
    enum Column {
        static let row: Int32 = 0
        static let uuid: Int32 = 1
        static let itemClass: Int32 = 2
        static let accessibility: Int32 = 3
        static let sync: Int32 = 4
        static let tomb: Int32 = 5
        static let version: Int32 = 6
        static let groupDigest: Int32 = 7
        static let uniqueDigest: Int32 = 8
        static let metadataKey: Int32 = 9
        static let metadata: Int32 = 10
        static let classKey: Int32 = 11
        static let rowKey: Int32 = 12
        static let secret: Int32 = 13
    }

    init(_ statement: PreparedStatement, hasSecret: Bool) {
        row = statement.integer(Column.row)
        uuid = statement.bytes(Column.uuid)
        itemClass = statement.integer(Column.itemClass)
        accessibility = statement.integer(Column.accessibility)
        sync = statement.integer(Column.sync)
        tomb = statement.integer(Column.tomb)
        version = statement.integer(Column.version)
        groupDigest = statement.bytes(Column.groupDigest)
        uniqueDigest = statement.bytes(Column.uniqueDigest)
        metadataKey = statement.integer(Column.metadataKey)
        metadata = statement.bytes(Column.metadata)
        secret = hasSecret ? SealedSecret(statement) : nil
    }

    /// The same row, whatever its secret: enough where only the attributes were at fault.
    func isSame(as other: StoredRow, withSecret: Bool) -> Bool {
        guard !withSecret else { return self == other }
        return row == other.row && uuid == other.uuid && itemClass == other.itemClass
            && accessibility == other.accessibility && sync == other.sync && tomb == other.tomb
            && version == other.version && groupDigest == other.groupDigest && uniqueDigest == other.uniqueDigest
            && metadataKey == other.metadataKey && metadata == other.metadata
    }
}

extension SealedSecret {
    /// Nil for a row without a secret.
    init?(_ statement: PreparedStatement) {
        guard !statement.isNull(StoredRow.Column.secret) else { return nil }
        classKey = statement.integer(StoredRow.Column.classKey)
        rowKey = statement.bytes(StoredRow.Column.rowKey)
        sealed = statement.bytes(StoredRow.Column.secret)
    }
}

extension RowContext {
    /// The place that the columns in clear describe, or nil when they hold what they never do.
    init?(_ statement: PreparedStatement, store: StoreIdentifier) {
        guard let row = ItemIdentifier(statement.lend(StoredRow.Column.uuid)),
            let itemClass = UInt8(exactly: statement.integer(StoredRow.Column.itemClass)).flatMap(ItemClass.init),
            let accessibility = UInt8(exactly: statement.integer(StoredRow.Column.accessibility))
                .flatMap(Accessibility.init),
            let version = UInt64(exactly: statement.integer(StoredRow.Column.version)),
            let isSynchronizable = Bool(column: statement.integer(StoredRow.Column.sync)),
            let isTombstone = Bool(column: statement.integer(StoredRow.Column.tomb)),
            let groupDigest = Bytes16(statement.lend(StoredRow.Column.groupDigest))
        else { return nil }
        self.init(
            store: store, row: row, version: version, itemClass: itemClass, accessibility: accessibility,
            isSynchronizable: isSynchronizable, isTombstone: isTombstone, groupDigest: groupDigest)
    }
}

extension Bool {
    /// A flag as a row has it; nil for a number that none ever is.
    init?(column: Int64) {
        guard (0...1).contains(column) else { return nil }
        self = column == 1
    }
}
