/// Wraps a sentence to lines of limited width.
///
/// Some toolkits make a dialog as wide as its longest line, and its buttons would leave the screen.
///
/// Further lines are indented, so that text of others never begins a line like Chatelaine's own text.
enum WrappedText {
    /// The columns of a line, as a terminal counts them; a display of 800 points has room for as many.
    static let columns = 72
    /// The columns beyond which a word without blanks, such as a path, is broken.
    static let mostColumns = 96
    private static let indentation = "  "

    static func wrapped(_ line: String) -> String {
        var (lines, width): ([String], Int) = ([""], 0)
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            let length = word.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
            // A word that fits into no line begins on the present one.
            if width > 0, width + 1 + length > columns, indentation.utf8.count + length <= columns {
                lines.append(indentation)
                width = indentation.utf8.count
            } else if width > 0 {
                lines[lines.count - 1] += " "
                width += 1
            }
            for scalar in word.unicodeScalars {
                if width + columns(of: scalar) > mostColumns {
                    lines.append(indentation)
                    width = indentation.utf8.count
                }
                lines[lines.count - 1].unicodeScalars.append(scalar)
                width += columns(of: scalar)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The columns of a character.
    ///
    /// Wide scripts begin with Hangul; a narrow character beyond that only makes a line shorter than necessary.
    private static func columns(of scalar: Unicode.Scalar) -> Int { scalar.value < 0x1100 ? 1 : 2 }
}
