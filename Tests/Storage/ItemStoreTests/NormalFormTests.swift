import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Text in two normal forms looks the same, but is two texts: as an account, as a group, in a search.
@Suite struct NormalFormTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    private let fixture: StoreFixture
    private let store: ItemStore

    init() throws {
        fixture = StoreFixture()
        store = try fixture.open()
    }

    @Test func accountsAreTwo() throws {
        for account in [Self.composed, Self.decomposed] {
            try store.add(.password("mail", account, secret: String(account.utf8.count)))
        }
        for account in [Self.composed, Self.decomposed] {
            let found = try store.find(.password("mail", account, returns: .attributes))
            #expect(found.map(\.attributes[.account]) == [.text(account)])
        }
        try store.delete(.password("mail", Self.composed))
        #expect(try store.find(.password("mail", Self.composed)).isEmpty)
        #expect(try store.find(.password("mail", Self.decomposed)).count == 1)
    }

    @Test func groupsAreTwo() throws {
        let groups = [AccessGroup(Self.composed), AccessGroup(Self.decomposed)]
        for (group, other) in [(groups[0], groups[1]), (groups[1], groups[0])] {
            try store.add(.password("mail", "ada", secret: "s"), group: group)
            var query = ItemQuery.password("mail", "ada", returns: .attributes)
            query.limit = .all
            #expect(try store.find(query, groups: [group]).map(\.attributes[.accessGroup]) == [.text(group.text)])
            query.accessGroup = other
            #expect(try store.find(query, groups: [group]).isEmpty)
        }
        var query = ItemQuery.password("mail", "ada", returns: .attributes)
        query.limit = .all
        let both = try store.find(query, groups: groups)
        #expect(Set(both.map(\.attributes[.accessGroup])).count == 2)
        // A search by identifier uses no index that checks the group.
        for found in both {
            var query = ItemQuery(itemClass: .genericPassword)
            query.identifier = found.identifier
            query.returns = .attributes
            let isFirst = found.attributes[.accessGroup] == .text(Self.composed)
            #expect(try store.find(query, groups: [groups[0]]).count == (isFirst ? 1 : 0))
            #expect(try store.find(query, groups: [groups[1]]).count == (isFirst ? 0 : 1))
        }
    }
}
