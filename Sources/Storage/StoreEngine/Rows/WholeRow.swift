import ChatelaineModel

/// The value of a column of a row.
package enum RowValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case blob([UInt8])
}

/// All columns of a row, copied from the store, a snapshot, or the pages of a damaged file.
package struct WholeRow: Sendable, Equatable {
    package let layout: RowLayout
    package var row: Int64
    /// The values by the places of their columns; the value of the row id is NULL.
    package var values: [RowValue]
    /// Whether the row has columns of a later version, so that its known columns may have another meaning.
    package var hasUnknownColumns = false

    package init(_ layout: RowLayout, row: Int64, values: [RowValue]) {
        self.layout = layout
        self.row = row
        self.values = values
    }

    package static func == (left: WholeRow, right: WholeRow) -> Bool {
        left.row == right.row && left.values == right.values && left.hasUnknownColumns == right.hasUnknownColumns
    }

    /// The value of a column; NULL for a column that the row lacks, as rows of an earlier version do.
    package subscript(place: Int) -> RowValue {
        get { place < values.count ? values[place] : .null }
        set { values[place] = newValue }
    }

    /// The integer in a column; 0 for any other value.
    package func integer(_ place: Int) -> Int64 { if case .integer(let number) = self[place] { number } else { 0 } }

    package func blob(_ place: Int) -> [UInt8]? { if case .blob(let bytes) = self[place] { bytes } else { nil } }

    package var identifier: [UInt8] { blob(layout.identifier) ?? [] }
    package var version: Int64 {
        get { integer(layout.version) }
        set { self[layout.version] = .integer(newValue) }
    }
    package var sequence: Int64 { integer(layout.sequence) }
    var unique: [UInt8]? { layout.unique.flatMap { blob($0) } }
    var tombstone: Int64 { layout.tombstone.map { integer($0) } ?? 0 }

    /// The total length of the blobs.
    var byteCount: Int { values.reduce(0) { if case .blob(let bytes) = $1 { $0 + bytes.count } else { $0 } } }

    /// Whether both are the same row in the same version with the same contents; digests may differ.
    func isSame(as other: WholeRow) -> Bool {
        guard row == other.row, identifier == other.identifier else { return false }
        return layout.stored.allSatisfy { layout.keys.contains($0) || self[$0] == other[$0] }
    }

    /// Binds all columns of a table but the row id; additional columns of a later version are left out.
    func bind(to statement: PreparedStatement, of table: RowLayout) throws(KeychainError) {
        for place in table.stored {
            try statement.bind(Int32(place), self[place])
        }
    }
}

extension WholeRow {
    /// Reads all columns in the order of the table; SQLite converts a value of another type.
    package init(_ statement: PreparedStatement, _ layout: RowLayout) {
        var values: [RowValue] = [.null]
        values.reserveCapacity(layout.count)
        for place in layout.stored {
            let column = Int32(place)
            if statement.isNull(column) {
                values.append(.null)
            } else {
                values.append(
                    layout.columns[place].isBlob ? .blob(statement.bytes(column)) : .integer(statement.integer(column)))
            }
        }
        self.init(layout, row: statement.integer(0), values: values)
    }

    /// Copies a row out of a page; nil where a part of the row or of its secret is not at hand.
    init?(_ raw: RawRow, row: Int64) {
        guard raw.hasSecret != nil else { return nil }
        let layout = raw.layout
        var values: [RowValue] = [.null]
        values.reserveCapacity(layout.count)
        for place in layout.stored {
            if raw.isNull(place) {
                values.append(.null)
            } else if let number = raw.integer(place) {
                values.append(.integer(number))
            } else if let bytes = raw.blob(place) {
                values.append(.blob(bytes))
            } else {
                return nil
            }
        }
        self.init(layout, row: row, values: values)
        hasUnknownColumns = raw.hasUnknownColumns
    }
}
