import ChatelaineModel

/// Shows items as rows for people.
///
/// A missing value is a hyphen, and an optional column without values is left out.
struct ItemTable {
    private struct Column {
        let heading: String
        /// Keys of attributes, one of which an item has.
        let keys: [String]
        /// Whether every table has the column.
        var isConstant = true
    }

    private static let columns = [
        Column(heading: "SERVICE OR SERVER", keys: ["svce", "srvr"]),
        Column(heading: "PROTOCOL", keys: ["ptcl"], isConstant: false),
        Column(heading: "PORT", keys: [AttributeWord.port], isConstant: false),
        Column(heading: "PATH", keys: ["path"], isConstant: false), Column(heading: "ACCOUNT", keys: ["acct"]),
        Column(heading: "LABEL", keys: ["labl"]), Column(heading: "GROUP", keys: ["agrp"]),
        Column(heading: "MODIFIED", keys: ["mdat"]),
    ]

    private var rows: [(itemClass: String, cells: [String?])] = []

    mutating func add(_ item: FoundItem) {
        let description = ItemDescription(item: item)
        rows.append(
            (
                ClassWord(item.itemClass).rawValue,
                Self.columns.map { column in column.keys.lazy.compactMap(description.cell).first }
            ))
    }

    var text: String {
        let shown = Self.columns.indices.filter { index in
            Self.columns[index].isConstant || rows.contains { $0.cells[index] != nil }
        }
        let groups = Self.columns.firstIndex { $0.keys == ["agrp"] }
        let short = Shortened(rows.compactMap { row in groups.flatMap { row.cells[$0] } })
        return Columns.aligned(
            [["CLASS"] + shown.map { Self.columns[$0].heading }]
                + rows.map { row in
                    [row.itemClass]
                        + shown.map { index in
                            guard let cell = row.cells[index] else { return "-" }
                            return index == groups ? short.text(cell) : cell
                        }
                })
    }
}
