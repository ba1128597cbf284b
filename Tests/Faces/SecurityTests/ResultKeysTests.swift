import CChatelaineFoundation
import ChatelaineModel
import Foundation
import Testing

@testable import ChatelaineCInterface
@testable import Security

/// The dictionaries of a listing share the objects of their keys, and each has its own keys all the same.
@Suite struct ResultKeysTests {
    /// Equal keys one after the other, fewer, others, and a dictionary within one.
    private static let listing: [[(key: String, value: ResultTree)]] = [
        [("acct", .text("one")), ("svce", .text("x"))], [("acct", .text("two")), ("svce", .text("y"))],
        [("acct", .text("three"))], [("svce", .text("four")), ("acct", .text("z"))], [],
        [("acct", .dictionary([("a", .number(1))])), ("svce", .array([.dictionary([("acct", .text("in"))])]))],
        [("acct", .text("five")), ("svce", .text("x"))],
    ]
    private static let tree = ResultTree.array(listing.map { .dictionary($0) })

    private static func expected(_ tree: ResultTree) -> NSObject {
        switch tree {
        case .text(let text): NSString(string: text)
        case .number(let number): NSNumber(value: number)
        case .array(let elements): NSArray(array: elements.map(expected))
        case .dictionary(let pairs):
            NSDictionary(dictionary: Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, expected($0.value)) }))
        default: NSObject()
        }
    }

    @Test func ofSwift() throws {
        let listing = try #require(ResultObject.make(Self.tree) as? NSArray)
        #expect(listing == Self.expected(Self.tree))
    }

    @Test func ofC() throws {
        let object = try ForeignResult.make(Self.tree)
        defer { chatelaine_release(object) }
        let listing = Unmanaged<NSArray>.fromOpaque(object).takeUnretainedValue()
        #expect(listing == Self.expected(Self.tree))
    }
}
