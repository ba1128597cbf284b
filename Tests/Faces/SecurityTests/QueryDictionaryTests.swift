import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests that dictionaries of every class give the same pairs.
struct QueryDictionaryTests {
    private static var values: [String: Any] {
        [
            "text": "täxt", "empty": "", "number": 7, "large": UInt64.max, "real": 1.5, "yes": true, "no": false,
            "data": Data([1, 2]), "date": Date(timeIntervalSinceReferenceDate: 3), "null": NSNull(), "array": [1, 2],
            "uuid": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), "v_Data": Data([9]),
        ]
    }

    /// A dictionary that makes its objects on request, as foreign classes may.
    private final class Lazy: NSDictionary {
        private var content: [String: Any] = [:]

        convenience init(_ content: [String: Any]) {
            self.init()
            self.content = content
        }

        override var count: Int { content.count }
        override func object(forKey key: Any) -> Any? { (key as? String).flatMap { content[$0] } }
        override func keyEnumerator() -> NSEnumerator { (Array(content.keys) as NSArray).objectEnumerator() }
    }

    private static func texts(of dictionary: NSDictionary) throws -> [String] {
        try QueryDictionary.pairs(of: dictionary).map { "\($0.key): \(words(for: $0.value))" }.sorted()
    }

    /// All of a value as text; a secret alone would hide its bytes.
    private static func words(for value: QueryValue) -> String {
        guard case .secret(let secret) = value else { return "\(value)" }
        return secret.withUnsafeBytes { "secret \([UInt8]($0))" }
    }

    @Test func everyMakeIsTheSame() throws {
        let expected = try Self.texts(of: Self.values as NSDictionary)
        #expect(expected.count == Self.values.count)
        #expect(expected.contains("v_Data: secret [9]") && expected.contains("no: number(0)"))
        #expect(expected.contains("large: real(1.8446744073709552e+19)"))
        #expect(try Self.texts(of: NSMutableDictionary(dictionary: Self.values)) == expected)
        #expect(try Self.texts(of: Lazy(Self.values)) == expected)
        #expect(try Self.texts(of: NSDictionary(dictionary: Self.values)) == expected)
    }

    /// Foundation's own methods convert what is inside an array first, without end.
    @Test func anArrayThatContainsItselfIsRead() throws {
        let array = NSMutableArray()
        array.add(array)
        array.add("text")
        for key in ["m_ItemList", "acct", "nobody's"] {
            for count in [1, 100] {
                let dictionary = NSMutableDictionary()
                for number in 1..<count { dictionary.setObject(number, forKey: "\(number)" as NSString) }
                dictionary.setObject(array, forKey: key as NSString)
                let value = try #require(
                    try QueryDictionary.pairs(of: dictionary).first { $0.key == key }?.value)
                #expect("\(value)" == "\(QueryValue.array([.array([]), .text("text")]))")
            }
        }
    }

    @Test func booleansAreNoNumbersWhereOnlyTheseCount() throws {
        for flag in [true as NSNumber, NSNumber(value: false)] {
            let dictionary = NSMutableDictionary()
            for key in ["acct", "svce", "labl", "klbl", "m_Limit", "invi", "type", "r_Data", "sync", "agrp"] {
                dictionary.setObject(flag, forKey: key as NSString)
            }
            let numbers = try QueryDictionary.pairs(of: dictionary).filter { $0.value.boolean != nil }.map(\.key)
            #expect(Set(numbers) == ["invi", "type", "r_Data", "sync", "agrp"])
        }
        for number in [1 as NSNumber, NSNumber(value: Int8(1)), NSNumber(value: UInt8(0))] {
            let pairs = try QueryDictionary.pairs(of: NSDictionary(object: number, forKey: "acct" as NSString))
            #expect(pairs.first?.value.boolean == number.boolValue)
        }
    }

    @Test func sizesBeyondTheUsual() throws {
        #expect(try QueryDictionary.pairs(of: NSDictionary()).isEmpty)
        for count in [63, 64, 65, 128, 300] {
            let large = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", $0) })
            let pairs = try QueryDictionary.pairs(of: large as NSDictionary)
            #expect(Set(pairs.map(\.key)) == Set(large.keys))
        }
    }

    @Test func keysThatAreNoStrings() {
        for foreign in [[1: "a"] as NSDictionary, Data([1]), UUID()].map({ $0 as? NSDictionary ?? [$0: 1] }) {
            #expect(throws: KeychainError.self) { try QueryDictionary.pairs(of: foreign) }
        }
    }
}
