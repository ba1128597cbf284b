import ChatelaineModel
import Testing

@testable import ItemStore

/// Searches of programs with many access groups, most of them empty.
@Suite struct NonEmptyGroupCacheTests {
    private let fixture = StoreFixture()
    private static let groups = (0..<20).map { AccessGroup("ABCDE12345.group-\($0)") }

    private static func accounts(_ store: ItemStore, _ query: ItemQuery) throws -> [String] {
        try store.find(query, groups: groups).map { item in
            if case .text(let account)? = item.attributes[.account] { account } else { "" }
        }
    }

    private static func add(_ account: String, to store: ItemStore, in group: Int) throws {
        _ = try store.add(.password("svc", account), group: groups[group], request: .fresh())
    }

    private static let all = ItemQuery.password("svc", nil, returns: .attributes).with { $0.limit = .all }

    /// Whatever the cache held before, an added item is found and a deleted one is not.
    @Test func nothingIsMissedForWhatWasKnown() throws {
        let store = try fixture.open()
        var expected: [String] = []
        for group in [7, 0, 19, 7] {
            let account = "account \(expected.count)"
            try Self.add(account, to: store, in: group)
            expected.append(account)
            // The three searches find the groups unknown, find them out, and know them.
            for _ in 0..<3 { #expect(try Set(Self.accounts(store, Self.all)) == Set(expected)) }
        }
        #expect(
            store.occupiedGroups.look(Self.groups, of: .genericPassword, at: 4)
                == .known([0, 7, 19].map { Self.groups[$0] }))
        try store.delete(.password("svc", "account 1"), groups: Self.groups, request: .fresh())
        for _ in 0..<3 { #expect(try !Self.accounts(store, Self.all).contains("account 1")) }
    }

    /// An item that moves to an empty group is found there.
    @Test func anItemMovesToAnEmptyGroup() throws {
        let store = try fixture.open()
        try Self.add("ada", to: store, in: 3)
        for _ in 0..<3 { #expect(try Self.accounts(store, Self.all) == ["ada"]) }
        var change = ItemChange()
        change.accessGroup = Self.groups[12]
        try store.update(.password("svc", "ada"), change, groups: Self.groups, request: .fresh())
        for _ in 0..<3 { #expect(try Self.accounts(store, Self.all) == ["ada"]) }
        #expect(try store.find(.password("svc", "ada"), groups: [Self.groups[3]]).isEmpty)
    }

    @Test func otherClassesAndOtherCallersAreKnownApart() throws {
        let groups = NonEmptyGroupCache()
        let (first, second) = (Self.groups, Array(Self.groups.reversed()))
        #expect(groups.look(first, of: .genericPassword, at: 1) == .none)
        #expect(groups.look(first, of: .internetPassword, at: 1) == .none)
        #expect(groups.look(second, of: .genericPassword, at: 1) == .none)
        #expect(groups.look(first, of: .genericPassword, at: 1) == .due)
        groups.note([], of: .genericPassword, among: first, at: 1)
        #expect(groups.look(first, of: .genericPassword, at: 1) == .known([]))
        #expect(groups.look(first, of: .internetPassword, at: 1) == .due)
        #expect(groups.look(second, of: .genericPassword, at: 1) == .due)
        // A result from another state of the store does not count.
        #expect(groups.look(first, of: .genericPassword, at: 2) == .none)
        groups.note([], of: .genericPassword, among: first, at: 1)
        #expect(groups.look(first, of: .genericPassword, at: 2) == .due)
    }

    @Test func theyAreBounded() {
        let groups = NonEmptyGroupCache()
        for number in 0...NonEmptyGroupCache.maximumCount {
            #expect(groups.look([AccessGroup("x.\(number)")], of: .genericPassword, at: 1) == .none)
        }
        #expect(groups.look([AccessGroup("x.1")], of: .genericPassword, at: 1) == .due)
        #expect(groups.look([AccessGroup("x.0")], of: .genericPassword, at: 1) == .none, "the first made room")
    }
}
