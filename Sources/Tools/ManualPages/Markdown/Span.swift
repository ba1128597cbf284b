/// A part of a line of text.
enum Span: Equatable {
    case text(String)
    /// Text that is typed or stored letter for letter.
    case code(String)
    case strong(String)
    case emphasis(String)

    /// The spans of a text with backticks, asterisks and links; throws ``PageError``.
    static func parse(_ text: String, at place: String) throws -> [Span] {
        var spans: [Span] = []
        var plain = ""
        var rest = text[...]
        func flush() {
            if !plain.isEmpty { spans.append(.text(plain)) }
            plain = ""
        }
        // Takes the text between two marks, and moves past the second.
        func take(_ mark: String) throws -> String {
            let inner = rest.dropFirst(mark.count)
            guard let end = inner.range(of: mark), end.lowerBound > inner.startIndex else {
                throw PageError("\(place): “\(mark)” is opened and not closed in “\(text)”")
            }
            rest = inner[end.upperBound...]
            return String(inner[..<end.lowerBound])
        }
        while let next = rest.first {
            if next == "`" {
                flush()
                spans.append(.code(try take("`")))
            } else if rest.hasPrefix("**") {
                flush()
                spans.append(.strong(try take("**")))
            } else if next == "*", rest.dropFirst().first?.isLetter == true {
                flush()
                spans.append(.emphasis(try take("*")))
            } else if next == "\\", rest.dropFirst().first.map({ "|*`\\".contains($0) }) == true {
                plain.append(rest[rest.index(after: rest.startIndex)])
                rest = rest.dropFirst(2)
            } else {
                guard next != "[" || !rest.contains("](") else { throw PageError("\(place): links are not for pages") }
                plain.append(next)
                rest = rest.dropFirst()
            }
        }
        flush()
        return spans
    }
}
