import Testing

@testable import ManualPages

/// Tests that our subset of Markdown becomes the source of a page, and that other Markdown is refused.
struct RoffTests {
    private func page(_ markdown: String) throws -> String {
        let blocks = try MarkdownParser("# A title\n\n## Text\n\n" + markdown, file: "a.md").blocks()
        let text = try RoffPage(name: "a-page", section: 5, source: "a.md") { $0 == "other" ? ("x-other", 5) : nil }
            .text(blocks)
        let start = try #require(text.range(of: ".SH \"TEXT\"\n"))
        return String(text[start.upperBound...])
    }

    @Test func linesOfTextAreNeverRequests() throws {
        #expect(try page("… and 'so on'") == "... and 'so on'\n".replacing("...", with: "\\&..."))
        #expect(try page("    .SH X\n    'x\n    a\\b") == ".RS 4\n.nf\n\\&.SH X\n\\(aqx\na\\eb\n.fi\n.RE\n")
        #expect(try page("- .x\n- 'y") == ".IP \\(bu 2\n\\&.x\n.IP \\(bu 2\n\\&'y\n")
        #expect(try page("| a | b |\n|---|---|\n| .x | _ |").contains("\n\\&.x\t\\&_\n"))
    }

    @Test func fontsAndReferences() throws {
        #expect(
            try page("A `--flag` of *this*, **that**, see `other.md` and `README.md`.")
                == "A \\fB\\-\\-flag\\fR of \\fIthis\\fR, \\fBthat\\fR, see \\fBx\\-other\\fR(5) and\n\\fBREADME.md\\fR.\n"
        )
    }

    @Test func charactersBeyondASCIIHaveNames() throws {
        #expect(try page("“a” – ä ≤ ⇄") == "\\(lqa\\(rq \\(en \\[u00E4] \\(<= \\[u21C4]\n")
    }

    @Test func aLineThatBeginsWithANumberGoesOnWithItsParagraph() throws {
        #expect(try page("is no message\n2. Everything else") == "is no message 2. Everything else\n")
        #expect(try page("1. one\n2. two\n   goes on") == ".IP 1. 4\none\n.IP 2. 4\ntwo goes on\n")
    }

    @Test func aTableThatIsTooWideBecomesAList() throws {
        let long = String(repeating: "x", count: 60)
        let list = try page("| a | b |\n|---|---|\n| 1 | `\(long)` |\n| \(long) | |")
        #expect(list == ".TP\n1\n\\fIb\\fR: \\fB\(long)\\fR\n.TP\n\(long)\n")
    }

    @Test(arguments: [
        "- a\n  - nested", "> quoted", "#### deep", "[a](b)", "`open", "<b>", "<!-- a remark -->", "```\nopen",
        "| a |\n|---|\n| b | c |", "| a |", "<!-- generated: nothing -->", "**",
    ])
    func whatIsBeyondTheSubsetIsRefused(markdown: String) { #expect(throws: PageError.self) { try page(markdown) } }
}
