/// Makes texts of others fit for a dialog.
///
/// A text then takes one line of limited length, and holds nothing that a terminal or a toolkit takes for more than a
/// character.
package enum PlainText {
    /// The text for display; an ellipsis shows where it was cut off.
    ///
    /// - Parameter limit: its bytes, as they go to pinentry (``AssuanText``).
    package static func shown(_ text: String, limit: Int) -> String {
        var shown = String.UnicodeScalarView()
        var cost = 0
        var marks = 0
        var isBlank = true
        // The limit keeps a mebibyte of hidden characters from being read. A scalar that is not shown is a blank, a
        // mark or a hidden one.
        for scalar in text.unicodeScalars.prefix(limit * 4) {
            var scalar = plain(scalar)
            if scalar.properties.generalCategory == .nonspacingMark
                || scalar.properties.generalCategory == .enclosingMark
            {
                marks += 1
                // Further marks would grow over the lines above and below.
                guard marks <= mostMarks, !isBlank else { continue }
            } else {
                marks = 0
            }
            if scalar.properties.isWhitespace { scalar = " " }
            // Runs of blanks could push the rest to another line.
            if scalar == " ", isBlank { continue }
            isBlank = scalar == " "
            let next = AssuanText.cost(of: scalar)
            guard cost + next <= limit - ellipsis.utf8.count else { return String(shown) + ellipsis }
            cost += next
            shown.append(scalar)
        }
        if text.unicodeScalars.count > limit * 4 { return String(shown) + ellipsis }
        return String(shown)
    }

    /// A path for display.
    ///
    /// A long one is shown by its beginning and its end, since the end names the program.
    package static func path(_ path: String, limit: Int) -> String {
        let whole = shown(path, limit: path.unicodeScalars.count * 4 + ellipsis.utf8.count)
        guard cost(of: whole) > limit else { return whole }
        let scalars = Array(whole.unicodeScalars)
        let end = fitting(scalars.reversed(), limit * 2 / 3).reversed()
        let start = fitting(scalars, limit - limit * 2 / 3 - ellipsis.utf8.count)
        return text(start) + ellipsis + text(Array(end))
    }

    /// A part of a button's title.
    ///
    /// An underscore would mark a letter, and is replaced.
    package static func button(_ text: String, limit: Int) -> String {
        shown(String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "_" ? "-" : $0 })), limit: limit)
    }

    private static let ellipsis = "…"
    private static let mostMarks = 2

    private static func cost(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + AssuanText.cost(of: $1) }
    }

    private static func fitting(_ scalars: [Unicode.Scalar], _ limit: Int) -> [Unicode.Scalar] {
        var cost = 0
        return Array(
            scalars.prefix { scalar in
                cost += AssuanText.cost(of: scalar)
                return cost <= limit
            })
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }

    /// The scalar that is shown in place of another one.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        // Some toolkits take these for markup.
        case "<": return "‹"
        case ">": return "›"
        case "&": return "＆"
        // Only Chatelaine's own quotation marks may end a quotation.
        case "“", "”", "„", "‟", "\"", "″", "❝", "❞", "〝", "〞", "〟", "＂", "ˮ", "ʺ", "״", "‶", "🙶", "🙷", "🙸", "⹂":
            return "'"
        case "\t", "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": return " "
        default: break
        }
        let properties = scalar.properties
        switch properties.generalCategory {
        // Control characters, characters that change the direction of text, and invisible ones.
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return "\u{FFFD}"
        case .spaceSeparator: return " "
        default: return properties.isDefaultIgnorableCodePoint ? "\u{FFFD}" : scalar
        }
    }
}
