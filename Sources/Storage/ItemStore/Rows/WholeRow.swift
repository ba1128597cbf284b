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

    /// Whether it had columns that no version up to this one knows: those that are known may then mean something else.
    var hasUnknownColumns = false

    /// Reads all columns, in the order of the table.
    static let select = "SELECT \(ItemColumn.list(ItemColumn.allCases))"

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

    /// Binds all columns but the row id.
    func bind(to statement: PreparedStatement) throws(KeychainError) {
        try statement.bind(.uuid, uuid)
        statement.bind(.itemClass, itemClass)
        statement.bind(.accessibility, accessibility)
        statement.bind(.sync, sync)
        statement.bind(.tomb, tomb)
        statement.bind(.version, version)
        statement.bind(.sequence, sequence)
        try statement.bind(.groupDigest, groupDigest)
        try statement.bind(.uniqueDigest, uniqueDigest)
        for (column, digest) in zip(ItemColumn.search, search) { try statement.bind(column, digest) }
        statement.bind(.metadataKey, metadataKey)
        try statement.bind(.metadata, metadata)
        statement.bind(.classKey, secret?.classKey)
        try statement.bind(.rowKey, secret?.rowKey)
        try statement.bind(.secret, secret?.sealed)
    }
}

extension WholeRow {
    init(_ statement: PreparedStatement) {
        row = statement.integer(ItemColumn.row)
        uuid = statement.bytes(ItemColumn.uuid)
        itemClass = statement.integer(ItemColumn.itemClass)
        accessibility = statement.integer(ItemColumn.accessibility)
        sync = statement.integer(ItemColumn.sync)
        tomb = statement.integer(ItemColumn.tomb)
        version = statement.integer(ItemColumn.version)
        sequence = statement.integer(ItemColumn.sequence)
        groupDigest = statement.bytes(ItemColumn.groupDigest)
        uniqueDigest = statement.bytes(ItemColumn.uniqueDigest)
        search = ItemColumn.search.map { statement.optionalBytes($0) }
        metadataKey = statement.integer(ItemColumn.metadataKey)
        metadata = statement.bytes(ItemColumn.metadata)
        secret =
            statement.isNull(ItemColumn.secret)
            ? nil
            : SealedSecret(
                classKey: statement.integer(ItemColumn.classKey), rowKey: statement.bytes(ItemColumn.rowKey),
                sealed: statement.bytes(ItemColumn.secret))
    }

    /// The row that lies in a page; nil where a part of it is not at hand, or of its secret.
    init?(_ item: RawItem, row: Int64) {
        guard let uuid = item.blob(.uuid), let itemClass = item.integer(.itemClass),
            let accessibility = item.integer(.accessibility), let sync = item.integer(.sync),
            let tomb = item.integer(.tomb), let version = item.integer(.version),
            let sequence = item.integer(.sequence), let groupDigest = item.blob(.groupDigest),
            let uniqueDigest = item.blob(.uniqueDigest), let metadataKey = item.integer(.metadataKey),
            let metadata = item.blob(.metadata), let hasSecret = item.hasSecret
        else { return nil }
        if hasSecret {
            guard let classKey = item.integer(.classKey), let rowKey = item.blob(.rowKey),
                let sealed = item.blob(.secret)
            else { return nil }
            secret = SealedSecret(classKey: classKey, rowKey: rowKey, sealed: sealed)
        } else {
            secret = nil
        }
        self.row = row
        self.uuid = uuid
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.sync = sync
        self.tomb = tomb
        self.version = version
        self.sequence = sequence
        self.groupDigest = groupDigest
        self.uniqueDigest = uniqueDigest
        search = ItemColumn.search.map { item.blob($0) }
        self.metadataKey = metadataKey
        self.metadata = metadata
        hasUnknownColumns = item.hasUnknownColumns
    }
}
