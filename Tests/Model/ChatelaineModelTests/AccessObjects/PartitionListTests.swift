import TestSupport
import Testing

@testable import ChatelaineModel

/// Tests of the list that `set-generic-password-partition-list -S` takes, and of its property list.
@Suite struct PartitionListTests {
    @Test(arguments: [
        ("apple-tool:,apple:,codesign:", ["apple-tool:", "apple:", "codesign:"]),
        ("teamid:ABCDE12345,unsigned:,cdhash:00ff", ["teamid:ABCDE12345", "unsigned:", "cdhash:00ff"]),
        ("b,a,b,c,a", ["b", "a", "c"]), ("", []), (",,a,,", ["a"]), (" a, b", [" a", " b"]),
        ("é,e\u{301}", ["é", "e\u{301}"]),
    ])
    func anArgumentIsTakenApart(text: String, parts: [String]) throws {
        let list = try PartitionList(commaSeparated: text)
        #expect(list.identifiers.map(\.text).elementsEqual(parts) { $0.utf8.elementsEqual($1.utf8) })
        #expect(list.description == parts.joined(separator: ", "))
    }

    @Test func whatIsNoIdentifierIsRefused() throws {
        let longest = String(repeating: "x", count: 255)
        #expect(try PartitionList(commaSeparated: longest).identifiers.count == 1)
        for text in [longest + "x", "a\nb", "a\0", "\u{202E}apple:"] {
            #expect(throws: KeychainError(.param, "")) { try PartitionList(commaSeparated: text) }
        }
        let many = (0..<256).map { "\($0)" }.joined(separator: ",")
        #expect(try PartitionList(commaSeparated: many + ",0").identifiers.count == 256)
        #expect(throws: KeychainError(.param, "")) { try PartitionList(commaSeparated: many + ",256") }
    }

    @Test func identifiersOfOurs() {
        #expect(PartitionID(AccessSamples.team).text == "teamid:ABCDE12345")
        #expect(PartitionID(AccessSamples.digest(0xAB)).text == "cdhash:" + String(repeating: "ab", count: 32))
        #expect(!PartitionID(AccessSamples.digest(0xAB)).isOfNoProgram && !PartitionID.apple.isOfNoProgram)
        for text in [
            "cdhash:", "cdhash:00ff", "cdhash:" + String(repeating: "x", count: 64), " apple:",
            "cdhash:" + String(repeating: "AB", count: 32),
        ] {
            #expect(PartitionID(text)?.isOfNoProgram == true, "\(text)")
        }
        #expect(PartitionID.apple.text == "apple:" && PartitionID.appleTool.text == "apple-tool:")
    }

    // MARK: The property list

    @Test func thePropertyListIsApples() {
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>Partitions</key>
            \t<array>
            \t\t<string>apple-tool:</string>
            \t\t<string>a&amp;b&lt;c&gt;</string>
            \t</array>
            </dict>
            </plist>

            """
        let list = PartitionList([.appleTool] + [PartitionID("a&b<c>")].compactMap(\.self))
        #expect(list.propertyList == expected)
        #expect(list.hexadecimal.hasPrefix("3c3f786d6c2076657273696f6e"))
        #expect(PartitionList([]).propertyList.contains("\t<array/>\n"))
    }

    @Test(arguments: [
        "", "apple:", "apple-tool:,apple:,teamid:ABCDE12345", "&amp;,&,&lt;,<a>&&,&amp;amp;", "<string>,</string>",
        "é",
    ])
    func itIsReadAsItWasWritten(text: String) throws {
        let list = try PartitionList(commaSeparated: text)
        #expect(try PartitionList(propertyList: list.propertyList) == list)
        #expect(try PartitionList(hexadecimal: list.hexadecimal) == list)
    }

    @Test func anythingElseIsRefused() {
        let whole = PartitionList([.apple, .appleTool]).propertyList
        let others = [
            "", "apple:", String(whole.dropLast()), whole + "\n", whole.replacing("Partitions", with: "Others"),
            whole.replacing("apple-tool:", with: "apple:"), whole.replacing("apple-tool:", with: ""),
            whole.replacing("apple-tool:", with: "a,b"), whole.replacing("apple-tool:", with: "a&b"),
            whole.replacing("apple-tool:", with: "&quot;"), whole.replacing("\t\t", with: "  "),
            whole.replacing("<array>", with: "<array><!-- -->"), whole.replacing("\n", with: "\r\n"),
        ]
        for text in others {
            #expect(throws: KeychainError(.invalidACL, ""), "\(text)") { try PartitionList(propertyList: text) }
        }
        for text in ["", "3", "zz", "ff", Hexadecimal.text(of: "apple:".utf8)] {
            #expect(throws: KeychainError(.invalidACL, ""), "\(text)") { try PartitionList(hexadecimal: text) }
        }
    }

    /// Every accepted text is exactly the form that its content has.
    @Test func damagedFormsAreRefusedOrAnother() throws {
        var generator = SeededGenerator()
        let whole = PartitionList([.apple, PartitionID(AccessSamples.team)])
        for _ in 0..<20_000 {
            let text = String(decoding: generator.damaged(Array(whole.propertyList.utf8)), as: UTF8.self)
            guard let read = try? PartitionList(propertyList: text) else { continue }
            #expect(read.propertyList.utf8.elementsEqual(text.utf8), "seed \(generator.seed)")
        }
    }
}
