import ChatelaineModel

/// The columns of the table `items`, in its order: the one place that says what there is.
///
/// Statements, row types, checks, digests and salvage follow from it. The text of the schema is history and stays in ``StoreSchema``;
/// a test compares both. The number of a column is its place in the table, and its parameter in statements that write rows.
///
/// **To add a column:** a case behind all others, optional, with the version that brings it; a migration that adds it to `items` and
/// `quarantine`; its value in ``WholeRow``, ``PreparedRow`` and ``RowAuthenticator``. Rows of earlier versions stay salvageable.
enum ItemColumn: Int32, CaseIterable, Sendable {
    case row, uuid, itemClass, accessibility, sync, tomb, version, sequence, groupDigest, uniqueDigest
    case pair, owner, place, label, tag
    case metadataKey, metadata, classKey, rowKey, secret

    var declaration: RowColumn {
        switch self {
        case .row: RowColumn("row", .rowIdentifier)
        case .uuid: RowColumn("uuid", .blob(16), .identity, index: "items_uuid")
        case .itemClass: RowColumn("class", .integer, .identity)
        case .accessibility: RowColumn("pdmn", .integer)
        case .sync: RowColumn("sync", .integer)
        case .tomb: RowColumn("tomb", .integer, index: "items_tombs")
        case .version: RowColumn("version", .integer)
        case .sequence: RowColumn("sequence", .integer)
        case .groupDigest: RowColumn("group_digest", .blob(16), .group, index: "items_group")
        case .uniqueDigest: RowColumn("unique_digest", .blob(32), .unique, index: "items_unique")
        case .pair: RowColumn("pair", .blob(16), .search, isOptional: true, index: "items_pair")
        case .owner: RowColumn("owner", .blob(16), .search, isOptional: true, index: "items_owner")
        case .place: RowColumn("place", .blob(16), .search, isOptional: true, index: "items_place")
        case .label: RowColumn("label", .blob(16), .search, isOptional: true, index: "items_label")
        case .tag: RowColumn("tag", .blob(16), .search, isOptional: true, index: "items_tag")
        case .metadataKey: RowColumn("metadata_key", .integer)
        case .metadata: RowColumn("metadata", .blob(nil))
        case .classKey: RowColumn("class_key", .integer, .secret, isOptional: true)
        case .rowKey: RowColumn("row_key", .blob(nil), .secret, isOptional: true)
        case .secret: RowColumn("secret", .blob(nil), .secret, isOptional: true)
        }
    }

    static let layout = RowLayout(allCases.map(\.declaration))
}

// MARK: What follows for those who go through columns

extension ItemColumn {
    var name: String { declaration.name }
    private var role: RowColumn.Role { declaration.role }

    /// Those of a row without its row id, which SQLite gives it.
    static let stored = allCases.filter { $0 != .row }
    /// The digests to look items up by, in the order of ``SearchColumn``.
    static let search = allCases.filter { $0.role == .search }
    /// Identifier and digests: what rows are looked for by.
    static let keys = allCases.filter { $0.declaration.index != nil && $0.declaration.isBlob }
    /// Those of them that tell few rows from the others.
    static let keysOfFew = keys.filter { $0.role != .group }
    /// Those of them that are alike in an index: sixteen bytes, and nothing else before the row id.
    static let shortKeys = keysOfFew.filter { $0.declaration.shape == .blob(16) }
    /// What a change of attributes writes.
    static let changing = stored.filter { $0.role != .identity && $0.role != .secret }
    static let ofSecret = allCases.filter { $0.role == .secret }
    /// Those that are digested as they are; of the secret ``RowAuthenticator`` does it in its own way.
    static let outsideSecret = stored.filter { $0.role != .secret }
}

// MARK: The same as SQL

extension ItemColumn {
    /// Names, for a list of columns.
    static func list(_ columns: [ItemColumn]) -> String { columns.map(\.name).joined(separator: ", ") }

    /// The columns of a row without its row id; the quarantine has the same.
    static let storedList = list(stored)
    /// Parameters for ``storedList``.
    static let storedParameters = stored.map { "?\($0.rawValue)" }.joined(separator: ", ")
    /// Parameters behind those of a whole row: why and when it came into the quarantine.
    static let quarantineReason = Int32(allCases.count)
    static let quarantineHour = quarantineReason + 1

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

    // For enums whose raw values are the places of columns in what is read, which the compiler makes constants of.
    func isNull(_ column: some RawRepresentable<Int32>) -> Bool { isNull(column.rawValue) }
    func integer(_ column: some RawRepresentable<Int32>) -> Int64 { integer(column.rawValue) }
    func lend(_ column: some RawRepresentable<Int32>) -> UnsafeRawBufferPointer { lend(column.rawValue) }
    func bytes(_ column: some RawRepresentable<Int32>) -> [UInt8] { bytes(column.rawValue) }
    func optionalBytes(_ column: some RawRepresentable<Int32>) -> [UInt8]? { optionalBytes(column.rawValue) }
}
