import Foundation
import Testing

/// Tests that constants which are macros in C have the values of the table.
struct ConstantTests {
    @Test func constantsAreThoseOfTheTable() throws {
        let table = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Tools/data/api.tsv")
        let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        let values = Dictionary(uniqueKeysWithValues: rows.filter { $0[2] == "LAPublicDefines" }.map { ($0[0], $0[3]) })
        #expect(CompiledConstants.all.count == 35)
        for (name, value) in CompiledConstants.all {
            let written = try #require(values[Substring(name)])
            #expect(written == value || written == "\"\(value)\"", "\(name)")
        }
    }
}
