import ChatelaineModel

/// The source of a manual page, in those macros of man(7) that both groff and mandoc show correctly.
struct RoffPage {
    let name: String
    let section: Int
    /// The file to edit in order to change the page.
    let source: String
    /// The page of a document, by the name NAME of NAME.md.
    let reference: (String) -> (page: String, section: Int)?

    private static let volumes = [
        1: "Chatelaine", 5: "Chatelaine File Formats", 8: "Chatelaine System Manual",
    ]

    /// The page of these blocks, the first of which is the title with a summary; throws ``PageError``.
    func text(_ blocks: [Block]) throws -> String {
        guard case .heading(1, let title)? = blocks.first else { throw PageError("\(source): the title is missing") }
        var lines = [
            "'\\\" t",
            ".\\\" Written by Tools/generate-pages.sh from \(source); do not edit.",
            ".TH \(RoffText.literal(name.uppercased())) \(section) \(ChatelaineVersion.date) \"Chatelaine \(ChatelaineVersion.number)\" "
                + "\"\(Self.volumes[section] ?? "Chatelaine")\"",
            ".nh", ".ad l", ".SH NAME",
            RoffText.filled("\(RoffText.literal(name)) \\- \(RoffText.prose(Self.summary(title, name: name)))"),
        ]
        // Text before the first heading is the description.
        if case .heading? = blocks.dropFirst().first {} else { lines.append(".SH DESCRIPTION") }
        var isFresh = true
        for block in blocks.dropFirst() {
            lines += try self.lines(block, isFresh: isFresh)
            if case .heading = block { isFresh = true } else { isFresh = false }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The clause of a title such as “security – passwords” after the name.
    private static func summary(_ title: [Span], name: String) -> String {
        let text = title.map(\.plain).joined()
        let prefix = name + " – "
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }

    /// - Parameter isFresh: whether a heading precedes, after which a paragraph's mark would be empty.
    private func lines(_ block: Block, isFresh: Bool) throws -> [String] {
        let gap = isFresh ? [] : [".PP"]
        switch block {
        case .heading(let level, let spans):
            let text = spans.map { RoffText.literal($0.plain) }.joined()
            return [level < 3 ? ".SH \"\(text.uppercasedOutsideEscapes)\"" : ".SS \"\(text)\""]
        case .paragraph(let spans): return gap + [RoffText.filled(text(spans))]
        case .lines(let lines):
            return gap + [".nf"] + lines.map { RoffText.guarded(text($0)) } + [".fi"]
        case .list(let isOrdered, let items):
            return items.enumerated().flatMap { index, item in
                [isOrdered ? ".IP \(index + 1). 4" : ".IP \\(bu 2", RoffText.filled(text(item))]
            }
        case .code(let code):
            // The space is explicit, because mandoc skips an empty paragraph.
            return gap + [".RS 4", ".nf"] + code.map { $0.isEmpty ? ".sp" : RoffText.guarded(RoffText.literal($0)) } + [
                ".fi", ".RE",
            ]
        case .definitions(let list): return list.flatMap(definition)
        case .table(let rows):
            let lines = RoffTable(rows: rows, text: text).lines(definition)
            return isFresh && lines.first == ".PP" ? Array(lines.dropFirst()) : lines
        case .generated(let what): throw PageError("\(source): “\(what)” stands where nothing is generated")
        }
    }

    private func definition(_ definition: Block.Definition) -> [String] {
        [".TP", RoffText.guarded(text(definition.term))]
            + [RoffText.filled(text(definition.text))].filter { !$0.isEmpty }
    }

    /// Spans in their fonts; a document's name becomes that of its page.
    private func text(_ spans: [Span]) -> String {
        spans.map { span in
            switch span {
            case .text(let text): return RoffText.prose(text)
            case .strong(let text): return "\\fB\(RoffText.literal(text))\\fR"
            case .emphasis(let text): return "\\fI\(RoffText.prose(text))\\fR"
            case .code(let text):
                if text.hasSuffix(".md"), let page = reference(String(text.dropLast(3))) {
                    return "\\fB\(RoffText.literal(page.page))\\fR(\(page.section))"
                }
                return "\\fB\(RoffText.literal(text))\\fR"
            }
        }.joined()
    }
}

extension Span {
    /// The text without its markup.
    var plain: String {
        switch self {
        case .text(let text), .code(let text), .strong(let text), .emphasis(let text): text
        }
    }
}

extension String {
    /// The text in upper case, unless it has the name of a character after a backslash.
    fileprivate var uppercasedOutsideEscapes: String {
        contains("\\(") || contains("\\[") || contains("\\:") ? self : uppercased()
    }
}
