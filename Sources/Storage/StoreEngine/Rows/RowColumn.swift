/// A column of a table of rows: its storage, and its role in a row.
package struct RowColumn: Sendable, Equatable {
    /// The type of a column's values, as SQLite stores them.
    package enum Shape: Sendable, Equatable {
        /// The row id, which SQLite keeps beside the record and which is NULL in the record.
        case rowIdentifier
        case integer
        /// A blob of the given length; nil for any length.
        case blob(Int?)
    }

    /// The purpose of a column.
    package enum Role: Sendable, Equatable {
        case plain
        /// Sixteen random bytes that name the row as long as it lives.
        case identifier
        /// An additional name of the row, which no update writes.
        case identity
        /// The number of times that the row was written, from 1.
        case version
        /// The number of the change that wrote the row last.
        case sequence
        /// 1 for a tombstone, which only says that the row was deleted; else 0.
        case tombstone
        /// A digest that is unique among live rows, and again among tombstones.
        case unique
        /// A digest that nearly all rows share.
        case group
        /// A digest by which searches find rows.
        case search
        /// A part of the secret, which is sealed apart; a row has all such columns or none.
        case secret
    }

    package let name: String
    package let shape: Shape
    package let role: Role
    package let isOptional: Bool
    /// The index that finds rows by the column.
    package let index: String?
    /// The schema version that introduced the column.
    package let since: Int64
    /// Whether the digest of a row covers only the column's length, since another part of the row authenticates its
    /// bytes.
    package let isDigestedByLength: Bool
    /// Whether the column holds the number of a key that seals a part of the row.
    ///
    /// The number finds the rows whose key is to be destroyed.
    package let namesKey: Bool

    package init(
        _ name: String, _ shape: Shape, _ role: Role = .plain, isOptional: Bool = false, index: String? = nil,
        since: Int64 = 1, isDigestedByLength: Bool = false, namesKey: Bool = false
    ) {
        self.name = name
        self.shape = shape
        self.role = role
        self.isOptional = isOptional
        self.index = index
        self.since = since
        self.isDigestedByLength = isDigestedByLength
        self.namesKey = namesKey
    }

    package var isBlob: Bool { if case .blob = shape { true } else { false } }
}
