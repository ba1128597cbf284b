import ChatelaineModel
import Sealing
import StoreEngine

/// The columns of an item by name.
extension WholeRow {
    /// The value of a column.
    subscript(column: ItemColumn) -> RowValue {
        get { self[column.place] }
        set { self[column.place] = newValue }
    }

    private func number(_ column: ItemColumn) -> Int64 { integer(column.place) }
    private func bytes(_ column: ItemColumn) -> [UInt8] { blob(column.place) ?? [] }

    var uuid: [UInt8] {
        get { identifier }
        set { self[.uuid] = .blob(newValue) }
    }
    var itemClass: Int64 {
        get { number(.itemClass) }
        set { self[.itemClass] = .integer(newValue) }
    }
    var accessibility: Int64 {
        get { number(.accessibility) }
        set { self[.accessibility] = .integer(newValue) }
    }
    var sync: Int64 {
        get { number(.sync) }
        set { self[.sync] = .integer(newValue) }
    }
    var tomb: Int64 {
        get { number(.tomb) }
        set { self[.tomb] = .integer(newValue) }
    }
    var groupDigest: [UInt8] {
        get { bytes(.groupDigest) }
        set { self[.groupDigest] = .blob(newValue) }
    }
    var uniqueDigest: [UInt8] {
        get { bytes(.uniqueDigest) }
        set { self[.uniqueDigest] = .blob(newValue) }
    }
    /// The digests in the order of ``SearchColumn``.
    var search: [[UInt8]?] {
        get { ItemColumn.search.map { blob($0.place) } }
        set {
            for (column, digest) in zip(ItemColumn.search, newValue) {
                self[column] = digest.map { .blob($0) } ?? .null
            }
        }
    }
    var metadataKey: Int64 {
        get { number(.metadataKey) }
        set { self[.metadataKey] = .integer(newValue) }
    }
    var metadata: [UInt8] {
        get { bytes(.metadata) }
        set { self[.metadata] = .blob(newValue) }
    }
    /// The secret; nil for a row without one.
    var secret: SealedSecret? {
        get {
            guard let sealed = blob(ItemColumn.secret.place) else { return nil }
            return SealedSecret(classKey: number(.classKey), rowKey: bytes(.rowKey), sealed: sealed)
        }
        set {
            self[.classKey] = newValue.map { .integer($0.classKey) } ?? .null
            self[.rowKey] = newValue.map { .blob($0.rowKey) } ?? .null
            self[.secret] = newValue.map { .blob($0.sealed) } ?? .null
        }
    }

    /// The place that the columns in clear describe; nil for impossible values.
    func context(in store: StoreIdentifier) -> RowContext? {
        guard let identifier = ItemIdentifier(uuid), let itemClass = ItemClass(column: itemClass),
            let accessibility = UInt8(exactly: accessibility).flatMap(Accessibility.init),
            let version = UInt64(exactly: version), let isSynchronizable = Bool(column: sync),
            let isTombstone = Bool(column: tomb), let groupDigest = Bytes16(groupDigest)
        else { return nil }
        return RowContext(
            store: store, row: identifier, version: version, itemClass: itemClass, accessibility: accessibility,
            isSynchronizable: isSynchronizable, isTombstone: isTombstone, groupDigest: groupDigest)
    }
}

extension ItemClass {
    /// The class in a row; nil for an impossible number.
    init?(column: Int64) {
        guard let known = UInt8(exactly: column).flatMap(ItemClass.init) else { return nil }
        self = known
    }
}
