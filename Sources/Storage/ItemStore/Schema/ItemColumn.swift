import ChatelaineModel
import StoreEngine

/// The columns of the table `items`, in its order; the only declaration of them.
///
/// Statements, row types, checks, digests and salvage follow from it. The text of the schema is history and stays in
/// ``StoreSchema``; a test compares both. The number of a column is its place in the table, and its parameter in
/// statements that write rows.
///
/// **To add a column**, add an optional case after all others, with the version that introduces it. A migration adds it
/// to `items` and `quarantine`. ``PreparedRow`` binds and digests its value, and ``WholeRow`` gives access to it. Rows
/// of earlier versions stay salvageable.
enum ItemColumn: Int32, CaseIterable, Sendable {
    case row, uuid, itemClass, accessibility, sync, tomb, version, sequence, groupDigest, uniqueDigest
    case pair, owner, place, label, tag
    case metadataKey, metadata, classKey, rowKey, secret

    var declaration: RowColumn {
        switch self {
        case .row: RowColumn("row", .rowIdentifier)
        case .uuid: RowColumn("uuid", .blob(16), .identifier, index: "items_uuid")
        case .itemClass: RowColumn("class", .integer, .identity)
        case .accessibility: RowColumn("pdmn", .integer)
        case .sync: RowColumn("sync", .integer)
        case .tomb: RowColumn("tomb", .integer, .tombstone, index: "items_tombs")
        case .version: RowColumn("version", .integer, .version)
        case .sequence: RowColumn("sequence", .integer, .sequence)
        case .groupDigest: RowColumn("group_digest", .blob(16), .group, index: "items_group")
        case .uniqueDigest: RowColumn("unique_digest", .blob(32), .unique, index: "items_unique")
        case .pair: RowColumn("pair", .blob(16), .search, isOptional: true, index: "items_pair")
        case .owner: RowColumn("owner", .blob(16), .search, isOptional: true, index: "items_owner")
        case .place: RowColumn("place", .blob(16), .search, isOptional: true, index: "items_place")
        case .label: RowColumn("label", .blob(16), .search, isOptional: true, index: "items_label")
        case .tag: RowColumn("tag", .blob(16), .search, isOptional: true, index: "items_tag")
        case .metadataKey: RowColumn("metadata_key", .integer, namesKey: true)
        case .metadata: RowColumn("metadata", .blob(nil))
        case .classKey: RowColumn("class_key", .integer, .secret, isOptional: true, namesKey: true)
        case .rowKey: RowColumn("row_key", .blob(nil), .secret, isOptional: true)
        case .secret:
            // Its row key seals this secret and no other.
            RowColumn("secret", .blob(nil), .secret, isOptional: true, isDigestedByLength: true)
        }
    }

    static let layout = RowLayout("items", allCases.map(\.declaration))

    /// The column's number in ``RowLayout``.
    var place: Int { Int(rawValue) }
}

// MARK: What follows for those who go through columns

extension ItemColumn {
    var name: String { declaration.name }
    private var role: RowColumn.Role { declaration.role }

    /// All columns but the row id, which SQLite assigns.
    static let stored = allCases.filter { $0 != .row }
    /// The digests of searches, in the order of ``SearchColumn``.
    static let search = allCases.filter { $0.role == .search }
    /// The columns that a change of attributes writes.
    static let changing = stored.filter { ![.identifier, .identity, .secret].contains($0.role) }
    /// Those of them that no index has.
    static let changingContent = changing.filter { $0.declaration.index == nil }
    static let ofSecret = allCases.filter { $0.role == .secret }
}

// MARK: The same as SQL

extension ItemColumn {
    /// The columns' names, as an SQL list.
    static func list(_ columns: [ItemColumn]) -> String { columns.map(\.name).joined(separator: ", ") }

    static func assignments(_ columns: [ItemColumn]) -> String {
        columns.map { "\($0.name) = ?\($0.rawValue)" }.joined(separator: ", ")
    }
}

extension PreparedStatement {
    func bind(_ column: ItemColumn, _ value: Int64) { bind(column.rawValue, value) }
    func bind(_ column: ItemColumn, _ value: Int64?) { bind(column.rawValue, value) }
    func bind(_ column: ItemColumn, _ value: [UInt8]) throws(KeychainError) { try bind(column.rawValue, value) }
    func bind(_ column: ItemColumn, _ value: [UInt8]?) throws(KeychainError) { try bind(column.rawValue, value) }
    func bind(_ column: ItemColumn, _ value: Bytes16) throws(KeychainError) { try bind(column.rawValue, value) }
    func bind(_ column: ItemColumn, _ value: Bytes16?) throws(KeychainError) { try bind(column.rawValue, value) }

    // For enums whose raw values are the places of columns in a result. They are here and not in the engine: the
    // compiler makes constants of them in their own module only, and each row of a look-up reads a dozen.
    func isNull(_ column: some RawRepresentable<Int32>) -> Bool { isNull(column.rawValue) }
    func integer(_ column: some RawRepresentable<Int32>) -> Int64 { integer(column.rawValue) }
    func lend(_ column: some RawRepresentable<Int32>) -> UnsafeRawBufferPointer { lend(column.rawValue) }
    func bytes(_ column: some RawRepresentable<Int32>) -> [UInt8] { bytes(column.rawValue) }
}
