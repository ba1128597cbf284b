import ChatelaineModel
import Sealing

/// Every column of a row, copied out of whatever held it: the store, a snapshot, or the pages of a damaged file.
struct WholeRow: Sendable, Equatable {
    var row: Int64
    var uuid: [UInt8]
    var itemClass: Int64
    var accessibility: Int64
    var sync: Int64
    var tomb: Int64
    var version: Int64
    var sequence: Int64
    var groupDigest: [UInt8]
    var uniqueDigest: [UInt8]
    /// In the order of ``SearchColumn``.
    var search: [[UInt8]?]
    var metadataKey: Int64
    var metadata: [UInt8]
    var secret: SealedSecret?

    /// Reads all columns, in the order that `init(_:)` expects.
    static let select = "SELECT row, \(StoreSchema.rowColumns)"
    /// As in ``StoreSchema/rowColumns``, and the row id before them.
    static let columnCount = 20

    /// The place that the columns in clear describe, or nil when they hold what they never do.
    func context(in store: StoreIdentifier) -> RowContext? {
        guard let identifier = ItemIdentifier(uuid), let itemClass = UInt8(exactly: itemClass).flatMap(ItemClass.init),
            let accessibility = UInt8(exactly: accessibility).flatMap(Accessibility.init),
            let version = UInt64(exactly: version), let isSynchronizable = Bool(column: sync),
            let isTombstone = Bool(column: tomb), let groupDigest = Bytes16(groupDigest)
        else { return nil }
        return RowContext(
            store: store, row: identifier, version: version, itemClass: itemClass, accessibility: accessibility,
            isSynchronizable: isSynchronizable, isTombstone: isTombstone, groupDigest: groupDigest)
    }

    /// Binds all columns but the row id, in the order of the table.
    func bind(to statement: PreparedStatement) throws(KeychainError) {
        try statement.bind(1, uuid)
        for (index, number) in [itemClass, accessibility, sync, tomb, version, sequence].enumerated() {
            statement.bind(Int32(2 + index), number)
        }
        try statement.bind(8, groupDigest)
        try statement.bind(9, uniqueDigest)
        for (index, digest) in search.enumerated() { try statement.bind(Int32(10 + index), digest) }
        statement.bind(15, metadataKey)
        try statement.bind(16, metadata)
        statement.bind(17, secret?.classKey)
        try statement.bind(18, secret?.rowKey)
        try statement.bind(19, secret?.sealed)
    }
}

extension WholeRow {
    init(_ statement: PreparedStatement) {
        row = statement.integer(0)
        uuid = statement.bytes(1)
        itemClass = statement.integer(2)
        accessibility = statement.integer(3)
        sync = statement.integer(4)
        tomb = statement.integer(5)
        version = statement.integer(6)
        sequence = statement.integer(7)
        groupDigest = statement.bytes(8)
        uniqueDigest = statement.bytes(9)
        search = (10..<15).map { statement.optionalBytes($0) }
        metadataKey = statement.integer(15)
        metadata = statement.bytes(16)
        secret =
            statement.isNull(19)
            ? nil
            : SealedSecret(
                classKey: statement.integer(17), rowKey: statement.bytes(18), sealed: statement.bytes(19))
    }
}
