/// Aligns cells in columns.
enum Columns {
    /// The blanks between two columns.
    private static let gap = "  "

    /// The columns of the widest cell that the others are aligned to: one long cell must not move all lines.
    private static let widest = 60

    /// The rows, with every column but the last as wide as its widest cell; empty for no rows.
    static func aligned(_ rows: [[String]], indent: String = "") -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], min(width(of: cell), widest))
            }
        }
        var result = ""
        for row in rows {
            var line = indent
            for (column, cell) in row.enumerated() {
                if column > 0 { line += gap }
                line += column == row.count - 1 ? cell : padded(cell, to: widths[column])
            }
            while line.last == " " { line.removeLast() }
            result += line + "\n"
        }
        return result
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - Self.width(of: text)))
    }

    /// The words of a text in lines of at most so many columns; a longer word has a line of its own.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if width(of: line) + 1 + width(of: String(word)) <= columns {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// The columns that a text takes in a terminal.
    static func width(of text: String) -> Int {
        text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    /// Whether a character is wide, by the main blocks of Unicode's EastAsianWidth: ideographs, kana, hangul, emoji.
    private static func isWide(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
