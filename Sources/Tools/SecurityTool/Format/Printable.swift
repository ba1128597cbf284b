/// Makes text safe for a terminal.
///
/// Attributes and paths can hold anything. Control characters and marks that change the direction of text are shown as
/// escapes. So an item can neither repaint the screen nor look like another.
enum Printable {
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where isHarmful(scalar): result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text of one line: safe for a terminal, and for a script only without line ends.
    ///
    /// A script gets every other character as it is, so that a path stays one that it can open.
    static func line(_ text: String, isForTerminal: Bool) -> String {
        guard !isForTerminal else { return Self.text(text) }
        guard text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar {
            case "\n", "\r": line += Self.text(String(scalar))
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text made safe for use between quotation marks: it cannot end them and continue as something else.
    static func quotable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "“", "”": result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result += Self.text(String(scalar))
            }
        }
        return result
    }

    /// Control characters (C0, C1), line separators, and marks of direction (Unicode, UAX #9).
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether bytes are text that a person can read: UTF-8 whose only control characters are tabs and line ends.
    ///
    /// The decoder works on the bytes in place, so that no `String` of a secret is made.
    static func isReadable(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .emptyInput: return true
            case .error: return false
            case .scalarValue(let scalar):
                guard !isHarmful(scalar) || scalar == "\n" || scalar == "\t" || scalar == "\r" else { return false }
            }
        }
    }
}
