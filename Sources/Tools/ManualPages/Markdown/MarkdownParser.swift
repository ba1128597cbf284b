/// Parses the Markdown of our documents.
///
/// It has headings, paragraphs, flat lists, tables, code in fences or indented by four blanks, and comments that mark
/// generated parts.
struct MarkdownParser {
    private let lines: [String]
    private let file: String
    private var position = 0

    init(_ text: String, file: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.file = file
    }

    /// The blocks of the document; throws ``PageError`` for anything beyond the subset.
    func blocks() throws -> [Block] {
        var reader = self
        var blocks: [Block] = []
        while let block = try reader.next() { blocks.append(block) }
        return blocks
    }

    private var line: String? { position < lines.count ? lines[position] : nil }

    private var place: String { "\(file):\(position + 1)" }

    private mutating func next() throws -> Block? {
        while line?.isEmpty == true { position += 1 }
        guard let line else { return nil }
        if line.hasPrefix("#") { return try heading(line) }
        if line.hasPrefix("```") { return try fence() }
        if line.hasPrefix("    ") { return code() }
        if line.hasPrefix("|") { return try table() }
        if line.hasPrefix("<!--") { return try comment(line) }
        if line.hasPrefix("- ") { return try list { $0.hasPrefix("- ") ? $0.dropFirst(2) : nil } }
        if Self.numbered(line) != nil { return try list(isOrdered: true, Self.numbered) }
        guard !line.hasPrefix(" "), !line.hasPrefix(">"), !line.hasPrefix("<") else {
            throw PageError("\(place): not in our subset of Markdown: \(line)")
        }
        return try paragraph()
    }

    private mutating func heading(_ line: String) throws -> Block {
        let level = line.prefix { $0 == "#" }.count
        guard level <= 3, line.dropFirst(level).first == " " else { throw PageError("\(place): no heading of ours") }
        let spans = try Span.parse(String(line.dropFirst(level + 1)), at: place)
        position += 1
        return .heading(level: level, spans)
    }

    private mutating func comment(_ line: String) throws -> Block {
        let opening = "<!-- generated: "
        guard line.hasPrefix(opening), line.hasSuffix(" -->") else { throw PageError("\(place): no comment of ours") }
        position += 1
        return .generated(String(line.dropFirst(opening.count).dropLast(4)))
    }

    private mutating func fence() throws -> Block {
        let start = place
        position += 1
        var code: [String] = []
        while let line, !line.hasPrefix("```") {
            code.append(line)
            position += 1
        }
        guard line != nil else { throw PageError("\(start): the code has no end") }
        position += 1
        return .code(code)
    }

    private mutating func code() -> Block {
        var code: [String] = []
        while let line, line.hasPrefix("    ") || line.isEmpty {
            code.append(String(line.dropFirst(4)))
            position += 1
        }
        while code.last?.isEmpty == true { code.removeLast() }
        return .code(code)
    }

    private mutating func table() throws -> Block {
        var rows: [[[Span]]] = []
        var index = 0
        while let line, line.hasPrefix("|") {
            guard line.hasSuffix("|"), line.count > 1 else { throw PageError("\(place): a row ends in |") }
            // The second line only marks the first as the heading.
            if index != 1 {
                // `\|` is a bar in a cell.
                let cells = line.dropFirst().dropLast().replacing("\\|", with: "\u{0}").split(
                    separator: "|", omittingEmptySubsequences: false)
                rows.append(
                    try cells.map { cell in
                        let text = cell.replacing("\u{0}", with: "|")
                        return try Span.parse(text.trimming(" "), at: place)
                    })
                guard rows[0].count == cells.count else { throw PageError("\(place): \(cells.count) cells") }
            }
            index += 1
            position += 1
        }
        guard index > 2 else { throw PageError("\(place): a table has a heading, a rule, and rows") }
        return .table(rows)
    }

    private static func numbered(_ line: String) -> Substring? {
        let digits = line.prefix { $0.isNumber }
        let rest = line.dropFirst(digits.count)
        return !digits.isEmpty && rest.hasPrefix(". ") ? rest.dropFirst(2) : nil
    }

    private mutating func list(isOrdered: Bool = false, _ item: (String) -> Substring?) throws -> Block {
        var items: [[Span]] = []
        while let line, let first = item(line) {
            let start = place
            var text = String(first)
            position += 1
            while let more = self.line, more.hasPrefix("  "), item(more) == nil {
                let trimmed = more.trimming(" ")
                guard !trimmed.hasPrefix("- ") else { throw PageError("\(place): lists are flat") }
                text += " " + trimmed
                position += 1
            }
            items.append(try Span.parse(text, at: start))
        }
        return .list(isOrdered: isOrdered, items)
    }

    private mutating func paragraph() throws -> Block {
        let start = place
        var text = ""
        while let line, !line.isEmpty, !line.hasPrefix("|"), !line.hasPrefix("```"), !line.hasPrefix("#"),
            !line.hasPrefix("- ")
        {
            text += (text.isEmpty ? "" : " ") + line
            position += 1
        }
        return .paragraph(try Span.parse(text, at: start))
    }
}

extension StringProtocol {
    /// The text without a character at its ends.
    func trimming(_ character: Character) -> String {
        var rest = self[...]
        while rest.first == character { rest = rest.dropFirst() }
        while rest.last == character { rest = rest.dropLast() }
        return String(rest)
    }
}
