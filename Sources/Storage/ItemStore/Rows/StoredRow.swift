import ChatelaineModel
import Sealing
import StoreEngine

/// The secret of a row as it is stored: sealed under a row key that is itself wrapped by a class key.
struct SealedSecret: Equatable, Sendable {
    /// As it stands in the file, which may hold a number that no key ever has.
    var classKey: Int64
    var rowKey: [UInt8]
    var sealed: [UInt8]

    /// Nil for a number that no key ever has.
    var classKeyID: UInt32? { UInt32(exactly: classKey) }

    /// Whether there is a row key that some class key may open.
    var isWrapped: Bool { classKeyID != nil && !rowKey.isEmpty }
}

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

    /// What a search reads of each row, in this order: no digest that only leads to a row, and the secret last, which not every
    /// search reads.
    enum Column: Int32, CaseIterable {
        case row, uuid, itemClass, accessibility, sync, tomb, version, groupDigest, uniqueDigest, metadataKey, metadata
        case classKey, rowKey, secret

        var column: ItemColumn {
            switch self {
            case .row: .row
            case .uuid: .uuid
            case .itemClass: .itemClass
            case .accessibility: .accessibility
            case .sync: .sync
            case .tomb: .tomb
            case .version: .version
            case .groupDigest: .groupDigest
            case .uniqueDigest: .uniqueDigest
            case .metadataKey: .metadataKey
            case .metadata: .metadata
            case .classKey: .classKey
            case .rowKey: .rowKey
            case .secret: .secret
            }
        }
    }

    /// ``Column`` as SQL.
    static let list = ItemColumn.list(Column.allCases.map(\.column))
    static let listWithoutSecret = ItemColumn.list(
        Column.allCases.map(\.column).filter { !ItemColumn.ofSecret.contains($0) })

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

    /// Whether all of it that a search reads is the same in a row.
    ///
    /// - Parameter withSecret: whether the secret counts; it does not where only the attributes were at fault.
    func isSame(as whole: WholeRow, withSecret: Bool) -> Bool {
        row == whole.row && uuid == whole.uuid && itemClass == whole.itemClass && accessibility == whole.accessibility
            && sync == whole.sync && tomb == whole.tomb && version == whole.version
            && groupDigest == whole.groupDigest && uniqueDigest == whole.uniqueDigest
            && metadataKey == whole.metadataKey && metadata == whole.metadata
            && (!withSecret || secret == whole.secret)
    }
}

extension DamagedRow {
    /// A row that did not open, with what was read of it, so that a second reading can confirm it.
    init(stored: StoredRow, hasSecret: Bool, reason: DamageReason) {
        self.init(
            row: stored.row, identifier: stored.uuid, unique: stored.uniqueDigest,
            kind: ItemClass(column: stored.itemClass)?.name, reason: reason
        ) { stored.isSame(as: $0, withSecret: hasSecret) }
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
