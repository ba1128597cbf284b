/// One column of a table of rows, as whoever reads or writes a row has to know it.
package struct RowColumn: Sendable, Equatable {
    /// What a value is, as SQLite stores it.
    package enum Shape: Sendable, Equatable {
        /// The row id, which stands beside the record and is NULL in it.
        case rowIdentifier
        case integer
        /// Of so many bytes; nil for any number.
        case blob(Int?)
    }

    /// What a column is for.
    package enum Role: Sendable, Equatable {
        case plain
        /// Sixteen random bytes that name the row as long as it lives.
        case identifier
        /// What the row is called besides: no update writes it.
        case identity
        /// How often the row was written, from 1.
        case version
        /// The number of the change that wrote it last.
        case sequence
        /// 1 where the row only says that it was deleted, else 0.
        case tombstone
        /// A digest that no two rows share, tombstones counted apart.
        case unique
        /// A digest that nearly all rows share.
        case group
        /// A digest to look rows up by.
        case search
        /// Part of what is sealed apart: all such columns are there, or none.
        case secret
    }

    package let name: String
    package let shape: Shape
    package let role: Role
    package let isOptional: Bool
    /// The index by which rows are looked up by the column.
    package let index: String?
    /// The schema version that brought the column.
    package let since: Int64
    /// Whether its length stands for it in the digest of a row, since something else in the row vouches for its bytes.
    package let isDigestedByLength: Bool
    /// Whether it has the number of a key that seals a part of the row, by which rows are found whose key is to be destroyed.
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
