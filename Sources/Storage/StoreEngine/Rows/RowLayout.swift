/// A table of rows: its name, and its columns in the order of the records on disk.
///
/// A store declares its layout once. Statements, digests, checks and salvage follow from it. The place of a column is
/// its number, from 0 for the row id, and its parameter in statements that write whole rows.
///
/// SQLite leaves rows as they are when a column is added: a page of one file may hold rows of several versions. A later
/// column is therefore optional and comes after all others. A row without it reads as NULL there.
// A class: each row that is copied out of a file refers to its layout.
package final class RowLayout: Sendable {
    /// Space for columns in a row that is read without SQLite and without copies; it leaves room for later columns.
    static let maximumColumns = 24

    private struct Rule {
        let shape: RowColumn.Shape
        let isOptional: Bool
    }

    package let table: String
    package let columns: [RowColumn]
    /// The number of columns of the first version, which every row has.
    let fewest: Int
    private let rules: [Rule]
    /// The flags by place: a query for each column of each row must not copy the column's declaration.
    private let areDigestedByLength: [Bool]

    // Places of columns.
    let identifier: Int
    let version: Int
    let sequence: Int
    let tombstone: Int?
    let unique: Int?
    let group: Int?
    /// All columns but the row id, which SQLite assigns.
    let stored: Range<Int>
    /// The identifier and the digests, by which rows are found.
    let keys: [Int]
    /// The keys that lead to few rows.
    let keysOfFew: [Int]
    /// The keys that look alike in an index: sixteen bytes, followed by the row id only.
    let shortKeys: [Int]
    /// The columns of the secret.
    let secret: [Int]
    /// The columns that name the keys of a row.
    let keyNames: [Int]
    /// The columns that resealing may change; it keeps those that find the row, name it, or count its changes.
    let resealed: [Int]
    /// The last column whose bytes are digested: a digest has to read no bytes after it.
    let lastDigested: Int

    /// Declares a table of rows; it must have an identifier, a version and a sequence.
    package init(_ table: String, _ columns: [RowColumn]) {
        func place(_ role: RowColumn.Role) -> Int? { columns.firstIndex { $0.role == role } }
        guard columns.count <= Self.maximumColumns, columns.first?.shape == .rowIdentifier,
            let identifier = place(.identifier), let version = place(.version), let sequence = place(.sequence)
        else { preconditionFailure("a table of rows lacks a column that each has, or has too many") }
        self.table = table
        self.columns = columns
        fewest = columns.prefix { $0.since == 1 }.count
        rules = columns.map { Rule(shape: $0.shape, isOptional: $0.isOptional) }
        areDigestedByLength = columns.map(\.isDigestedByLength)
        self.identifier = identifier
        self.version = version
        self.sequence = sequence
        tombstone = place(.tombstone)
        unique = place(.unique)
        group = place(.group)
        stored = 1..<columns.count
        keys = columns.indices.filter { columns[$0].index != nil && columns[$0].isBlob }
        keysOfFew = keys.filter { columns[$0].role != .group }
        shortKeys = keysOfFew.filter { columns[$0].shape == .blob(16) }
        secret = columns.indices.filter { columns[$0].role == .secret }
        keyNames = columns.indices.filter { columns[$0].namesKey }
        resealed = stored.filter { [.plain, .secret].contains(columns[$0].role) }
        lastDigested = columns.lastIndex { !$0.isDigestedByLength } ?? 0
    }

    package var count: Int { columns.count }

    func isDigestedByLength(_ place: Int) -> Bool { areDigestedByLength[place] }

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

// MARK: The same as SQL

extension RowLayout {
    package func name(_ place: Int) -> String { columns[place].name }

    package func list(_ places: some Sequence<Int>) -> String { places.map(name).joined(separator: ", ") }

    /// All columns, the row id first.
    package var list: String { list(columns.indices) }
    /// All columns but the row id; the quarantine has the same.
    var storedList: String { list(stored) }
    /// Parameters for ``storedList``.
    var storedParameters: String { stored.map { "?\($0)" }.joined(separator: ", ") }
    /// The columns, or their lengths, that the digest of a row covers, in its order.
    package var digestedList: String {
        stored.map { columns[$0].isDigestedByLength ? "length(\(name($0)))" : name($0) }.joined(separator: ", ")
    }

    /// The parameter after those of a whole row, which selects the row.
    var rowParameter: Int32 { Int32(count) }

    /// The parameters after those of a whole row, for the reason and the hour of a move to the quarantine.
    var quarantineReason: Int32 { Int32(count) }
    var quarantineHour: Int32 { quarantineReason + 1 }

    /// A condition that only live rows meet; empty for a table without tombstones.
    func whereLive(_ conjunction: String) -> String { tombstone.map { " \(conjunction) \(name($0)) = 0" } ?? "" }
}
