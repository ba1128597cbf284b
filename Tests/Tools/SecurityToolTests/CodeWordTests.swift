import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the words for protocols and kinds of authentication.
struct CodeWordTests {
    /// Each of Apple's constants has a word.
    @Test(arguments: [("kSecAttrProtocol", CodeWords.protocols), ("kSecAttrAuthenticationType", .authenticationTypes)])
    func everyConstantHasAWord(prefix: String, words: CodeWords) throws {
        let file = Repository.root.appendingPathComponent("Tools/data/secitem-constants.tsv")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "\t").map(String.init) }.filter { $0[0].hasPrefix(prefix) && $0[0] != prefix }
        #expect(rows.count >= 8)
        for row in rows {
            let code = row[1].trimmingCharacters(in: ["\""])
            #expect(words.word(of: code) != nil, "\(row)")
        }
    }

    /// No word is the code of another value, so each has one meaning.
    @Test(arguments: [CodeWords.protocols, .authenticationTypes])
    func wordsAndCodesMeanOneThing(words: CodeWords) {
        #expect(Set(words.entries.map(\.word)).count == words.entries.count)
        #expect(Set(words.entries.map(\.code)).count == words.entries.count)
        for (word, code) in words.entries {
            #expect(code.utf8.count == 4)
            #expect(words.code(word) == code && words.code(code) == code)
        }
    }

    /// Four characters that may be meant as a code or as a number are neither.
    @Test func whatMayBeCodeOrNumberIsRefused() throws {
        #expect(throws: ToolError.self) { try AttributeWord.value("0x41", for: "crtr") }
        guard case .number(0x41) = try AttributeWord.value("0x041", for: "crtr") else { return #expect(Bool(false)) }
    }

    /// A shown value can be typed, and then means the same value.
    @Test func whatIsShownCanBeTyped() throws {
        let values: [(String, AttributeValue)] = [
            ("ptcl", .text("htps")), ("ptcl", .text("ssh ")), ("ptcl", .text("https")), ("ptcl", .text("abcd")),
            ("ptcl", .number(1_752_461_427)), ("atyp", .text("http")), ("atyp", .data([1])), ("port", .number(443)),
            ("port", .text("https")), ("acct", .text("hex:00")),
            ("acct", .text("text:")), ("acct", .number(7)), ("acct", .data([0, 255])), ("acct", .text("")),
            ("crtr", .number(0x6162_6364)), ("crtr", .number(0x3078_3431)), ("crtr", .number(0x696E_743A)),
            ("crtr", .number(-1)), ("crtr", .number(0)),
            ("invi", .number(1)), ("cdat", .date(0)),
        ]
        for (key, value) in values {
            let isNumber = key == "port"
            let shown = AttributeWord.text(value, for: key, isNumber: isNumber)
            let meant: AttributeValue? =
                switch try AttributeWord.value(shown, for: key) {
                case .text(let text): .text(text)
                case .number(let number): .number(number)
                case .data(let bytes): .data(bytes)
                case .date(let seconds): .date(seconds)
                default: nil
                }
            #expect(meant == value, "\(key) \(shown)")
        }
    }
}
