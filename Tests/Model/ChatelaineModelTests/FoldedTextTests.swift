import ChatelaineModel
import Testing

/// Tests of which texts differ by case alone, and in which attributes case can be ignored.
struct FoldedTextTests {
    private static func matches(_ wanted: String, _ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { FoldedText(wanted).matches($0) }
    }

    @Test(arguments: [
        ("mail", "MAIL"), ("Mail-1_@[`", "mAIL-1_@[`"), ("", ""), ("straße", "STRASSE"), ("STRAẞE", "strasse"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ς", "σ"), ("ﬁle", "FILE"), ("Ärger", "äRGER"), ("ǆ", "ǅ"), ("ŉ", "ʼN"),
        // The sign for kelvin counts as the letter, and so does the long s.
        ("\u{212A}", "k"), ("\u{17F}", "S"), ("\u{130}", "i\u{307}"), ("I", "i"), ("Ж", "ж"), ("𐐀", "𐐨"),
    ])
    func sameButForCase(_ one: String, _ other: String) {
        #expect(Self.matches(one, other) && Self.matches(other, one))
    }

    @Test(arguments: [
        ("mail", "mai"), ("mail", "mails"), ("a", "ä"), ("@", "`"), ("[", "{"), ("ı", "i"), ("ı", "I"), ("İ", "i"),
        // Another normal form is another text, and so is a similar or a wider character.
        ("caf\u{E9}", "cafe\u{301}"), ("CAF\u{C9}", "cafe\u{301}"), ("A", "А"), ("ａ", "a"), ("1", "１"),
    ])
    func otherTexts(_ one: String, _ other: String) {
        #expect(!Self.matches(one, other) && !Self.matches(other, one))
    }

    /// Every character with another case matches that case, except the dotless i, which shares its capital with i.
    @Test func everyCharacterMatchesItsCases() {
        var count = 0
        for code in UInt32(0)...0x1_FFFF {
            guard let scalar = Unicode.Scalar(code), scalar.properties.changesWhenCaseMapped else { continue }
            count += 1
            let text = String(scalar)
            let others = [
                text, scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping,
                scalar.properties.titlecaseMapping,
            ]
            for other in others where code != 0x131 || other == text {
                #expect(Self.matches(text, other) && Self.matches(other, text), "\(code)")
            }
        }
        #expect(count > 2500)
    }

    @Test func bytesThatAreNoTextMatchNothing() {
        for bytes in [[0xFF], [0x41, 0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            #expect(!bytes.withUnsafeBytes { FoldedText("\u{FFFD}").matches($0) || FoldedText("a").matches($0) })
        }
    }

    @Test func caseCountsWhereNoTextIsMeant() {
        func isMet(
            _ key: AttributeKey, _ wanted: AttributeValue, by value: AttributeValue, ignoring: Bool = true,
            _ itemClass: ItemClass = .internetPassword
        ) -> Bool {
            var query = ItemQuery(itemClass: itemClass)
            query.attributes[key] = wanted
            query.ignoresCase = ignoring
            var attributes = AttributeSet()
            attributes[key] = value
            return AttributeDemand(query).isSatisfied(by: attributes)
        }
        let (large, small) = (AttributeValue.text("AB"), AttributeValue.text("ab"))
        let (largeData, smallData) = (AttributeValue.data([0x41, 0x42]), AttributeValue.data([0x61, 0x62]))
        #expect(
            isMet(.account, large, by: small) && isMet(.server, small, by: large) && isMet(.label, large, by: small))
        #expect(!isMet(.account, large, by: small, ignoring: false))
        #expect(!isMet(.account, large, by: smallData) && !isMet(.account, largeData, by: small))
        #expect(!isMet(.account, largeData, by: smallData) && isMet(.account, large, by: largeData))
        #expect(!isMet(.account, .number(1), by: .text("1")) && isMet(.account, .number(1), by: .number(1)))
        // The code of a protocol and the name of a token have no case to ignore.
        #expect(!isMet(.protocolType, large, by: small) && isMet(.protocolType, large, by: large))
        #expect(!isMet(.tokenID, large, by: small) && !isMet(.viewHint, large, by: small))
        #expect(!isMet(.label, large, by: small, .certificate) && !isMet(.label, large, by: small, .key))
    }
}
