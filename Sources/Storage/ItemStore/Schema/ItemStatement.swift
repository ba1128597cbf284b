import ChatelaineModel
import StoreEngine

/// The prepared statements of items, by name: those of searches, and those of changes.
enum ItemStatement: Int, CaseIterable {
    case findPair, findOwner, findPlace, findLabel, findTag, findIdentifier, findGroup
    case findPairSecret, findOwnerSecret, findPlaceSecret, findLabelSecret, findTagSecret, findIdentifierSecret,
        findGroupSecret
    case pendingRow
    case nextGroup, isGroupOccupied
    case row, rowByIdentifier, rowByUnique, tombstoneByUnique, tombstones
    case updateRow, updateRowAndSecret, updateContent, updateContentAndSecret, deleteOldTombstone, termOfTombstone

    /// A search. 1: digest or identifier; 2: class; 3 and 4: range of the synchronizable flag; 5: protection class or
    /// 0.
    ///
    /// The statement names the index, since the planner has no statistics that tell a digest from a class.
    private static func search(_ column: ItemColumn, secret: Bool) -> String {
        """
        SELECT \(secret ? StoredRow.list : StoredRow.listWithoutSecret) FROM items \
        \(column.declaration.index.map { "INDEXED BY \($0)" } ?? "") WHERE \(column.name) = ?1 AND \(conditions)
        """
    }

    private static let conditions = "class = ?2 AND tomb = 0 AND sync BETWEEN ?3 AND ?4 AND (?5 = 0 OR pdmn = ?5)"

    /// The parameter of the first column in ``pendingRow``.
    private static let firstOfPending: Int32 = 6

    /// A bound row as if it were in the table: 1 to 5 as in a search, then the columns that a search reads.
    private static var pending: String {
        let parameters = StoredRow.Column.allCases.map { "?\(firstOfPending + $0.rawValue)" }.joined(separator: ", ")
        return """
            WITH pending (\(StoredRow.list)) AS (VALUES (\(parameters))) \
            SELECT \(StoredRow.list) FROM pending WHERE \(conditions)
            """
    }

    static func bind(_ row: PendingRow, to statement: PreparedStatement) throws(KeychainError) {
        for column in StoredRow.Column.allCases {
            let value: RowValue = column == .row ? .integer(row.number) : row.content[column.column]
            try statement.bind(firstOfPending + column.rawValue, value)
        }
    }

    private static func update(_ columns: [ItemColumn]) -> String {
        "UPDATE items SET \(ItemColumn.assignments(columns)) WHERE uuid = ?1 AND class = ?2"
    }

    /// The column of the digest or identifier that a search looks up; nil for other statements.
    var searchedColumn: ItemColumn? {
        switch self {
        case .findPair, .findPairSecret: .pair
        case .findOwner, .findOwnerSecret: .owner
        case .findPlace, .findPlaceSecret: .place
        case .findLabel, .findLabelSecret: .label
        case .findTag, .findTagSecret: .tag
        case .findIdentifier, .findIdentifierSecret: .uuid
        case .findGroup, .findGroupSecret: .groupDigest
        default: nil
        }
    }

    var sql: String {
        switch self {
        case .findPair: Self.search(.pair, secret: false)
        case .findOwner: Self.search(.owner, secret: false)
        case .findPlace: Self.search(.place, secret: false)
        case .findLabel: Self.search(.label, secret: false)
        case .findTag: Self.search(.tag, secret: false)
        case .findIdentifier: Self.search(.uuid, secret: false)
        case .findGroup: Self.search(.groupDigest, secret: false)
        case .findPairSecret: Self.search(.pair, secret: true)
        case .findOwnerSecret: Self.search(.owner, secret: true)
        case .findPlaceSecret: Self.search(.place, secret: true)
        case .findLabelSecret: Self.search(.label, secret: true)
        case .findTagSecret: Self.search(.tag, secret: true)
        case .findIdentifierSecret: Self.search(.uuid, secret: true)
        case .findGroupSecret: Self.search(.groupDigest, secret: true)
        case .pendingRow: Self.pending
        // The query takes one step of the index for each group, whatever the number of items.
        case .nextGroup:
            """
            SELECT \(StoredRow.listWithoutSecret) FROM items INDEXED BY items_group WHERE class = ?1 AND tomb = 0 \
            AND (group_digest, row) > (?2, ?3) ORDER BY group_digest, row LIMIT 1
            """
        case .isGroupOccupied:
            "SELECT 1 FROM items INDEXED BY items_group WHERE class = ?1 AND group_digest = ?2 AND tomb = 0 LIMIT 1"
        case .row: "SELECT \(StoredRow.list) FROM items WHERE row = ?1"
        case .rowByIdentifier: "SELECT \(StoredRow.list) FROM items WHERE uuid = ?1 AND tomb = 0"
        case .rowByUnique: "SELECT \(StoredRow.list) FROM items WHERE unique_digest = ?1 AND tomb = 0"
        case .tombstoneByUnique:
            "SELECT \(StoredRow.listWithoutSecret) FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .tombstones:
            "SELECT \(StoredRow.listWithoutSecret) FROM items WHERE tomb = 1 AND row > ?1 ORDER BY row LIMIT ?2"
        case .updateRow: Self.update(ItemColumn.changing)
        case .updateRowAndSecret: Self.update(ItemColumn.changing + ItemColumn.ofSecret)
        case .updateContent: Self.update(ItemColumn.changingContent)
        case .updateContentAndSecret: Self.update(ItemColumn.changingContent + ItemColumn.ofSecret)
        case .deleteOldTombstone: "DELETE FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .termOfTombstone:
            "SELECT \(ItemColumn.layout.digestedList) FROM items WHERE unique_digest = ?1 AND tomb = 1"
        }
    }
}

extension StatementCache {
    subscript(_ name: ItemStatement) -> PreparedStatement {
        get throws(KeychainError) { try self[declared: name.rawValue] }
    }
}
