/// A sentence on lines of bounded width: some toolkits make a dialog as wide as its longest line, and its buttons would be beyond the screen.
///
/// What follows on another line is indented, so that nothing that others have chosen begins a line as we do.
enum WrappedText {
    /// Columns, as a terminal counts them; a display of 800 points has room for as many.
    static let columns = 72
    /// What has no blank, such as a path, is taken apart only beyond this.
    static let mostColumns = 96
    private static let indentation = "  "

    static func wrapped(_ line: String) -> String {
        var (lines, width): ([String], Int) = ([""], 0)
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            let length = word.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
            // One that fits into no line is begun where it stands.
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

    /// Scripts whose characters are two columns wide begin with Hangul; a narrow one behind it costs a line that is shorter than it could be.
    private static func columns(of scalar: Unicode.Scalar) -> Int { scalar.value < 0x1100 ? 1 : 2 }
}
