/// Escapes text for groff and mandoc.
enum RoffText {
    /// The most bytes of a line; mandoc warns about longer ones.
    private static let lineWidth = 78

    private static let names: [Character: String] = [
        "\\": "\\e", "“": "\\(lq", "”": "\\(rq", "–": "\\(en", "—": "\\(em", "…": "...", "×": "\\(mu", "≤": "\\(<=",
        "≥": "\\(>=", "→": "\\(->", "●": "\\(bu", "·": "\\(pc", "−": "\\-", "’": "\\(cq", "^": "\\(ha", "~": "\\(ti",
        "`": "\\(ga", "\u{A0}": "\\~",
    ]

    /// The text as prose, in which a hyphen may become a typographic one.
    static func prose(_ text: String) -> String { escaped(text) { $0 == "\"" ? "\\(dq" : nil } }

    /// The text letter for letter, with the hyphens and quotes of the keyboard; a long path may break after a slash.
    static func literal(_ text: String) -> String {
        escaped(text) { character in
            switch character {
            case "-": "\\-"
            case "'": "\\(aq"
            case "\"": "\\(dq"
            case "/": "/\\:"
            default: nil
            }
        }
    }

    private static func escaped(_ text: String, _ special: (Character) -> String?) -> String {
        var escaped = ""
        for character in text {
            if let text = special(character) ?? names[character] {
                escaped += text
            } else if character.isASCII {
                escaped.append(character)
            } else {
                for scalar in character.unicodeScalars {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
                }
            }
        }
        return escaped
    }

    /// A line that is not taken as a request, which begins with a full stop or an apostrophe.
    static func guarded(_ line: String) -> String { line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line }

    /// The words in lines, none of which is a request.
    static func filled(_ text: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > lineWidth {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines.map(guarded).joined(separator: "\n")
    }
}
