/// A table for tbl(1), within a page of 80 columns; a table that is too wide becomes a list.
struct RoffTable {
    /// The columns of a page of 80 without its margins.
    private static let pageWidth = 70
    private static let gap = 2

    /// The rows; the first has the headings.
    let rows: [[[Span]]]
    let text: ([Span]) -> String

    /// - Parameter definition: makes the lines of a list's entry.
    func lines(_ definition: (Block.Definition) -> [String]) -> [String] {
        let columns = rows[0].indices
        let natural = columns.map { column in rows.map { width($0[column]) }.max() ?? 0 }
        let least = columns.map { column in rows.map { longestWord($0[column]) }.max() ?? 0 }
        let room = Self.pageWidth - Self.gap * (columns.count - 1)
        guard least.reduce(0, +) <= room else { return asDefinitions().flatMap(definition) }
        let widths = Self.widths(natural, least, room)
        let format = widths.map { "lw(\($0)n)" }.joined(separator: "\(Self.gap) ")
        // Without headings there is no line below them.
        let hasHeadings = rows[0].contains { !$0.isEmpty }
        var lines = [".PP", ".TS", "nokeep;", format + "."]
        for (index, row) in rows.enumerated() where index > 0 || hasHeadings {
            let cells = zip(row, widths).map { cell($0, width: $1, isHeading: index == 0) }
            lines.append(cells.joined(separator: "\t"))
            if index == 0 { lines.append("_") }
        }
        return lines + [".TE"]
    }

    /// The widths of the columns: the natural ones if all fit, otherwise the longest word of each and a share of the
    /// rest.
    private static func widths(_ natural: [Int], _ least: [Int], _ room: Int) -> [Int] {
        guard natural.reduce(0, +) > room else { return natural }
        let missing = zip(natural, least).map(-)
        let spare = room - least.reduce(0, +)
        let total = max(1, missing.reduce(0, +))
        return zip(least, missing).map { $0 + spare * $1 / total }
    }

    private func cell(_ spans: [Span], width: Int, isHeading: Bool) -> String {
        let spans = isHeading ? spans.map { Span.strong($0.plain) } : spans
        let text = text(spans)
        guard self.width(spans) > width else {
            return ["_", "="].contains(text) ? "\\&" + text : RoffText.guarded(text)
        }
        return "T{\n\(RoffText.filled(text))\nT}"
    }

    private func asDefinitions() -> [Block.Definition] {
        rows.dropFirst().map { row in
            let rest = zip(rows[0], row).dropFirst().filter { !$0.1.isEmpty }.map { heading, cell in
                heading.isEmpty ? cell : [.emphasis(heading.map(\.plain).joined()), .text(": ")] + cell
            }
            return Block.Definition(term: row[0], text: Array(rest.joined(separator: [.text("; ")])))
        }
    }

    /// The width of the shown text; the name of a document may become that of a page, which is longer.
    private func width(_ spans: [Span]) -> Int { shown(spans).count }

    private func longestWord(_ spans: [Span]) -> Int {
        shown(spans).split { " /".contains($0) }.map { $0.count + 1 }.max() ?? 0
    }

    private func shown(_ spans: [Span]) -> String {
        // Each escape becomes one column, so that the count is that of the shown text.
        var shown = ""
        var rest = text(spans)[...]
        while let next = rest.first {
            if next == "\\", let kind = rest.dropFirst().first {
                switch kind {
                case "f": rest = rest.dropFirst(3)
                case ":", "&": rest = rest.dropFirst(2)
                case "(":
                    shown.append("x")
                    rest = rest.dropFirst(4)
                case "[":
                    shown.append("x")
                    rest = rest.drop { $0 != "]" }.dropFirst()
                default:
                    shown.append("x")
                    rest = rest.dropFirst(2)
                }
            } else {
                shown.append(next)
                rest = rest.dropFirst()
            }
        }
        return shown
    }
}
