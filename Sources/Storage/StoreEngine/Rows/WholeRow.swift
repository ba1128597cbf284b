import ChatelaineModel

/// What a column of a row holds.
package enum RowValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case blob([UInt8])
}

/// Every column of a row, copied out of whatever held it: the store, a snapshot, or the pages of a damaged file.
package struct WholeRow: Sendable, Equatable {
    package let layout: RowLayout
    package var row: Int64
    /// By the places of their columns; that of the row id is NULL.
    package var values: [RowValue]
    /// Whether it had columns that no version up to this one knows: those that are known may then mean something else.
    package var hasUnknownColumns = false

    package init(_ layout: RowLayout, row: Int64, values: [RowValue]) {
        self.layout = layout
        self.row = row
        self.values = values
    }

    package static func == (left: WholeRow, right: WholeRow) -> Bool {
        left.row == right.row && left.values == right.values && left.hasUnknownColumns == right.hasUnknownColumns
    }

    /// What a column holds; NULL for one that is not there, as in rows of an earlier version.
    package subscript(place: Int) -> RowValue {
        get { place < values.count ? values[place] : .null }
        set { values[place] = newValue }
    }

    /// 0 where there is none.
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

    /// How many bytes its blobs have.
    var byteCount: Int { values.reduce(0) { if case .blob(let bytes) = $1 { $0 + bytes.count } else { $0 } } }

    /// Whether it is the same row in the same version with the same content, whatever the digests are that lead to it.
    func isSame(as other: WholeRow) -> Bool {
        guard row == other.row, identifier == other.identifier else { return false }
        return layout.stored.allSatisfy { layout.keys.contains($0) || self[$0] == other[$0] }
    }

    /// Binds all columns of a table but the row id. A row of a later version has more, which that table has not.
    func bind(to statement: PreparedStatement, of table: RowLayout) throws(KeychainError) {
        for place in table.stored {
            try statement.bind(Int32(place), self[place])
        }
    }
}

extension WholeRow {
    /// Reads all columns in the order of the table; one of another type is taken for the value that SQLite makes of it.
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

    /// The row that lies in a page; nil where a part of it is not at hand, or of what is sealed apart.
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
