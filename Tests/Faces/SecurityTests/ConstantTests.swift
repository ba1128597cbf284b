import Foundation
import Security
import Testing

/// Every constant has the value of the table, and none of the table is missing.
struct ConstantTests {
    @Test func itemConstantsAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("secitem-constants.tsv").rows
        #expect(rows.count == 163)
        #expect(CompiledConstants.items.count == rows.count)
        for (compiled, row) in zip(CompiledConstants.items, rows) {
            #expect(compiled.name == row[0])
            #expect("\"\(compiled.value)\"" == row[1], "\(row[0])")
        }
    }

    @Test func statusCodesAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("status-codes.tsv").rows
        #expect(rows.count == 458)
        let compiled = Dictionary(uniqueKeysWithValues: CompiledConstants.statuses.map { ($0.name, $0.value) })
        #expect(compiled.count == rows.count)
        for row in rows {
            #expect(compiled[row[0]] == Int32(row[1]), "\(row[0])")
        }
    }

    @Test func wellKnownValues() {
        #expect(errSecSuccess == 0 && noErr == 0)
        #expect(errSecParam == -50)
        #expect(errSecItemNotFound == -25300)
        #expect(errSecDskFull == errSecDiskFull)
        #expect(kSecAttrProtocolFTP == "ftp ")
        #expect(kSecAttrKeyType == kSecAttrType)
    }
}
