import Foundation
import TestSupport
import Testing

@testable import ChatelaineModel

/// Tests of rights by number, constant and name, compared with Apple's facts.
@Suite struct ACLAuthorizationTests {
    struct Row {
        let string: String
        let number: Int32
        let name: String
        let defaultEntry: String
    }

    static func rows() throws -> [Row] {
        let file = Repository.root.appendingPathComponent(
            "Tests/Model/ChatelaineModelTests/Fixtures/acl-authorizations.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let words = line.split(separator: "\t").map(String.init)
            return Row(
                string: words[1], number: try #require(Int32(words[2])), name: words[3], defaultEntry: words[4])
        }
    }

    @Test func everyRightIsApples() throws {
        let rows = try Self.rows()
        #expect(rows.count == 23 && ACLAuthorization.table.count == rows.count)
        for row in rows {
            let right = ACLAuthorization(rawValue: row.number)
            #expect(right.constant == row.string && right.name == row.name, "\(row.name)")
            #expect(ACLAuthorization(constant: row.string) == right, "\(row.name)")
        }
    }

    @Test func theDefaultAccessGivesWhatTheTableSays() throws {
        let access = AccessObject.default(descriptor: "", trusted: [])
        for row in try Self.rows() {
            let right = ACLAuthorization(rawValue: row.number)
            let place = access.places(authorizing: right).map {
                $0 == .owner ? "owner" : $0 == .entry(0) ? "free" : "limited"
            }
            #expect(place == (row.defaultEntry == "none" ? [] : [row.defaultEntry]), "\(row.name)")
        }
    }

    @Test(arguments: [
        "", "ACLAuthorization", "aclauthorizationany", "ACLAuthorization\u{212A}eychainCreate", "decrypt",
    ])
    func aNameThatNobodyKnowsIsZero(name: String) {
        #expect(ACLAuthorization(constant: name) == .unknown && ACLAuthorization.unknown.rawValue == 0)
    }

    @Test func aNumberThatNobodyKnowsIsKept() throws {
        for number: Int32 in [0, 2, -1, 65540, .max, .min] {
            let right = ACLAuthorization(rawValue: number)
            #expect(right.name == "tag=\(number)" && right.constant == "ACLAuthorizationAny")
            let access = AccessObject(owner: ACLEntry([right], .any), entries: [ACLEntry([right, .decrypt], .any)])
            #expect(try access.rewritten() == access)
            #expect(access.entries[0].authorizes(right) && !access.entries[0].authorizes(.sign))
        }
    }
}

extension AccessObject {
    /// The object after it is encoded and read again.
    func rewritten() throws -> AccessObject {
        try encoding.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let object = try AccessObject(from: &reader)
            try reader.finish()
            return object
        }
    }
}
