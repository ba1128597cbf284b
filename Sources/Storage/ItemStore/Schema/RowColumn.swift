/// One column of a table of rows, as whoever reads or writes a row has to know it.
struct RowColumn: Sendable, Equatable {
    /// What a value is, as SQLite stores it.
    enum Shape: Sendable, Equatable {
        /// The row id, which stands beside the record and is NULL in it.
        case rowIdentifier
        case integer
        /// Of so many bytes; nil for any number.
        case blob(Int?)
    }

    /// What a column is for.
    enum Role: Sendable, Equatable {
        case plain
        /// What the row is called for as long as it lives: no update writes it.
        case identity
        /// A digest that no two rows share.
        case unique
        /// A digest that nearly all rows share.
        case group
        /// A digest to look rows up by.
        case search
        /// Part of the secret: all such columns are there, or none. A change of attributes leaves them as they are.
        case secret
    }

    let name: String
    let shape: Shape
    let role: Role
    let isOptional: Bool
    /// The index by which rows are looked up by the column.
    let index: String?
    /// The schema version that brought the column.
    let since: Int64

    init(
        _ name: String, _ shape: Shape, _ role: Role = .plain, isOptional: Bool = false, index: String? = nil,
        since: Int64 = 1
    ) {
        self.name = name
        self.shape = shape
        self.role = role
        self.isOptional = isOptional
        self.index = index
        self.since = since
    }

    var isBlob: Bool { if case .blob = shape { true } else { false } }
}

/// The columns of a table in its order, as records on disk have them.
///
/// SQLite leaves rows as they are when a column is added: a page of one file may hold rows of several versions. A later column is
/// therefore optional and comes behind all others, and a row without it reads as NULL there.
struct RowLayout: Sendable {
    /// Room for columns in a row that is read without SQLite, which copies nothing: more than there are, for later ones.
    static let maximumColumns = 24

    private struct Rule {
        let shape: RowColumn.Shape
        let isOptional: Bool
    }

    let columns: [RowColumn]
    /// Columns of the first version, which every row has.
    let fewest: Int
    private let rules: [Rule]

    init(_ columns: [RowColumn]) {
        precondition(columns.count <= Self.maximumColumns, "a table has more columns than salvage has room for")
        self.columns = columns
        fewest = columns.prefix { $0.since == 1 }.count
        rules = columns.map { Rule(shape: $0.shape, isOptional: $0.isOptional) }
    }

    var count: Int { columns.count }

    /// Whether a column may have a value of a serial type (sqlite.org/fileformat2.html, section 2.1).
    func accepts(_ type: UInt64, in column: Int) -> Bool {
        let rule = rules[column]
        switch rule.shape {
        case .rowIdentifier: return type == 0
        case .integer: return RawRecord.isInteger(type) || type == 0 && rule.isOptional
        case .blob(let count?): return RawRecord.isBlob(type, UInt64(count)) || type == 0 && rule.isOptional
        case .blob(nil): return RawRecord.isBlob(type) || type == 0 && rule.isOptional
        }
    }
}
