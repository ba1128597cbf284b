import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of the catalogue against the tables that it was made from.
struct StatusCatalogueTests {
    /// The rows of a table in Tools/data, without its header.
    static func rows(_ name: String) throws -> [[String]] {
        let root = Repository.root
        let text = try String(contentsOf: root.appendingPathComponent("Tools/data/\(name)"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map { $0.split(separator: "\t").map(String.init) }
    }

    @Test func everyCodeHasAnEntryAndEveryNameItsCode() throws {
        let rows = try Self.rows("status-codes.tsv")
        #expect(rows.count == 458)
        for row in rows {
            let code = try #require(Int32(row[1]))
            let entry = try #require(StatusCatalogue.entry(for: code), "\(row[0])")
            #expect(entry.code == code)
            #expect(entry.name == row[0] || entry.aliases.contains(row[0]))
            #expect(StatusCatalogue.code(named: row[0]) == code)
        }
        #expect(StatusCatalogue.codes == Set(rows.compactMap { Int32($0[1]) }).sorted())
    }

    @Test func messagesAreWholeSentencesUsedOnce() throws {
        var seen: [String: Int32] = [:]
        for code in StatusCatalogue.codes {
            let message = try #require(StatusCatalogue.entry(for: code)).message
            #expect((40...100).contains(message.count) && message.hasSuffix("."), "\(code): \(message)")
            #expect(message.first?.isUppercase == true && message.allSatisfy(\.isASCII))
            #expect(seen.updateValue(code, forKey: message) == nil, "\(code): \(message)")
        }
        let texts = try Self.rows("status-messages.tsv")
        #expect(texts.count == seen.count)
        for row in texts {
            let code = try #require(StatusCatalogue.code(named: row[0]))
            #expect(StatusCatalogue.entry(for: code)?.name == row[0])
            #expect(StatusCatalogue.entry(for: code)?.message == row[1])
        }
    }

    @Test func aliases() {
        #expect(StatusCatalogue.entry(for: -34)?.name == "errSecDiskFull")
        #expect(StatusCatalogue.entry(for: -34)?.aliases == ["errSecDskFull"])
        #expect(StatusCatalogue.code(named: "errSecInvaldCRLAuthority") == -67827)
        #expect(StatusCatalogue.entry(for: 0)?.aliases == [])
    }

    @Test func unknownCodesAndNames() {
        for code: Int32 in [1, -1, -67905, -34019, -9879, -5000, .min, .max] {
            #expect(StatusCatalogue.entry(for: code) == nil)
        }
        for name in ["", "errSec", "errsecparam", "errSecParam ", "errSecItemNotFoundX"] {
            #expect(StatusCatalogue.code(named: name) == nil)
        }
    }
}
