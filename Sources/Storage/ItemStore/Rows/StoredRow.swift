import ChatelaineModel
import Sealing
import StoreEngine

/// A row's secret as it is stored, sealed under a row key that a class key wraps.
struct SealedSecret: Equatable, Sendable {
    /// The number in the file, which may be one that no key has.
    var classKey: Int64
    var rowKey: [UInt8]
    var sealed: [UInt8]

    /// The class key's number; nil for one that no key has.
    var classKeyID: UInt32? { UInt32(exactly: classKey) }

    /// More bytes than a row key has that is wrapped, under a program's password as well.
    ///
    /// Whoever can write the file chooses the length, and a batch of such keys has to fit into one message.
    static let mostRowKeyBytes = 1024
    /// More bytes than a private key has that is sealed, in the form in which the custodian takes it.
    static let mostKeyBytes = 64 * 1024

    /// Whether the row key may be one that a class key has wrapped.
    var isWrapped: Bool { classKeyID != nil && !rowKey.isEmpty && rowKey.count <= Self.mostRowKeyBytes }
}

/// A copy of a row's columns in the file.
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

    /// The columns that a search reads of each row, in this order.
    ///
    /// Digests that only lead to a row are left out. The secret comes last, since not every search reads it.
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

    /// The columns of ``Column`` as SQL.
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

    /// Whether all columns that a search reads are the same in a row.
    ///
    /// - Parameter withSecret: whether the secret counts; it does not where only the attributes were damaged.
    func isSame(as whole: WholeRow, withSecret: Bool) -> Bool {
        row == whole.row && uuid == whole.uuid && itemClass == whole.itemClass && accessibility == whole.accessibility
            && sync == whole.sync && tomb == whole.tomb && version == whole.version
            && groupDigest == whole.groupDigest && uniqueDigest == whole.uniqueDigest
            && metadataKey == whole.metadataKey && metadata == whole.metadata
            && (!withSecret || secret == whole.secret)
    }
}

extension DamagedRow {
    /// Makes a damaged row of the columns that were read, so that a second reading can confirm the damage.
    init(stored: StoredRow, hasSecret: Bool, reason: DamageReason) {
        self.init(
            row: stored.row, identifier: stored.uuid, unique: stored.uniqueDigest,
            kind: ItemClass(column: stored.itemClass)?.name, reason: reason
        ) { stored.isSame(as: $0, withSecret: hasSecret) }
    }
}

extension SealedSecret {
    /// Reads the secret; nil for a row without one.
    init?(_ statement: PreparedStatement) {
        guard !statement.isNull(StoredRow.Column.secret) else { return nil }
        classKey = statement.integer(StoredRow.Column.classKey)
        rowKey = statement.bytes(StoredRow.Column.rowKey)
        sealed = statement.bytes(StoredRow.Column.secret)
    }
}

extension RowContext {
    /// The place that the columns in clear describe; nil for impossible values.
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
    /// A flag in a row; nil for an impossible number.
    init?(column: Int64) {
        guard (0...1).contains(column) else { return nil }
        self = column == 1
    }
}
