import ChatelaineModel

/// The source of one manual page, in the macros of man(7): what both groff and mandoc show as it was meant.
struct RoffPage {
    let name: String
    let section: Int
    /// The file that whoever wants to change the page has to change.
    let source: String
    /// The page about a document that is called NAME.md.
    let reference: (String) -> (page: String, section: Int)?

    private static let volumes = [
        1: "Chatelaine", 5: "Chatelaine File Formats", 8: "Chatelaine System Manual",
    ]

    /// The page of these blocks, of which the first is its title and tells what the page is about; throws ``PageError``.
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
        // What stands before the first heading.
        if case .heading? = blocks.dropFirst().first {} else { lines.append(".SH DESCRIPTION") }
        var isFresh = true
        for block in blocks.dropFirst() {
            lines += try self.lines(block, isFresh: isFresh)
            if case .heading = block { isFresh = true } else { isFresh = false }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A title such as “security – passwords” without the name, as one clause.
    private static func summary(_ title: [Span], name: String) -> String {
        let text = title.map(\.plain).joined()
        let prefix = name + " – "
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }

    /// - Parameter isFresh: whether a heading stands before, after which a mark of a paragraph would be empty.
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
            // Space before it is made by hand: an empty paragraph would be one that mandoc skips.
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
    /// The text without its marks.
    var plain: String {
        switch self {
        case .text(let text), .code(let text), .strong(let text), .emphasis(let text): text
        }
    }
}

extension String {
    /// In capitals, but for what stands behind a backslash: the name of a character.
    fileprivate var uppercasedOutsideEscapes: String {
        contains("\\(") || contains("\\[") || contains("\\:") ? self : uppercased()
    }
}
