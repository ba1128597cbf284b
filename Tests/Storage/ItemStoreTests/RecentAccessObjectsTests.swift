import ChatelaineModel
import Testing

@testable import ItemStore

/// The cache of the access objects of recently used items.
@Suite struct RecentAccessObjectsTests {
    private let objects = RecentAccessObjects()

    private static func object(_ label: String) -> AccessObject { .default(label: label, creator: nil) }

    @Test func eachIsThatOfItsBytes() throws {
        let item = ItemIdentifier()
        for label in ["first", "first", "second", "first"] {
            let object = Self.object(label)
            #expect(try objects.object(object.encoding, of: item) == object)
        }
        #expect(objects.count == 1, "the last one of an item takes the place of those before")
    }

    @Test func whatCannotBeReadIsRefusedEachTime() throws {
        let item = ItemIdentifier()
        _ = try objects.object(Self.object("good").encoding, of: item)
        for _ in 0..<2 {
            #expect(throws: KeychainError(.decode, "the access object of an item cannot be read")) {
                try objects.object([0xFF], of: item)
            }
        }
        #expect(objects.count == 1)
    }

    @Test func theyAreBounded() throws {
        for number in 0...(2 * RecentAccessObjects.maximumCount) {
            let object = Self.object("\(number)")
            #expect(try objects.object(object.encoding, of: ItemIdentifier()) == object)
            #expect(objects.count <= RecentAccessObjects.maximumCount)
        }
        let before = objects.count
        let large = Self.object(String(repeating: "x", count: RecentAccessObjects.maximumBytes))
        #expect(try objects.object(large.encoding, of: ItemIdentifier()) == large)
        #expect(objects.count == before, "a large one is not kept")
    }
}
