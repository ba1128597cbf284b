import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A move takes all items of a group to another one, or none.
@Suite struct MovingTests {
    let fixture = StoreFixture()
    private let signed: AccessGroup = "signed"

    @discardableResult private func move(
        _ store: ItemStore, _ former: AccessGroup = StoreFixture.group, to group: AccessGroup? = nil,
        request: ChangeRequest? = nil, allows: (RowAccess) -> Bool = { _ in true }
    ) throws -> Int {
        try store.moveItems(
            from: former, to: group ?? signed, request: try request ?? .fresh(),
            authorise: { row, operation throws(KeychainError) in
                #expect(operation == .update)
                return allows(row)
            }, use: { _ in nil })
    }

    private func filled() throws -> ItemStore {
        let store = try fixture.open()
        fixture.time.withLock { $0 = 1000 }
        for index in 0..<20 { try store.add(.password("service", "\(index)", secret: "secret \(index)")) }
        try store.add(.password("empty", "none"))
        try store.add(.password("synchronizable", "a", secret: "s").with { $0.isSynchronizable = true })
        for class_ in [Accessibility.afterFirstUnlock, .whenUnlockedThisDeviceOnly] {
            try store.add(.internet("host", "\(class_)", secret: "web").with { $0.accessibility = class_ })
        }
        fixture.time.withLock { $0 = 2000 }
        return store
    }

    private func all(_ store: ItemStore, _ group: AccessGroup) throws -> [FoundItem] {
        try [ItemClass.genericPassword, .internetPassword].flatMap { itemClass in
            var query = ItemQuery(itemClass: itemClass)
            query.synchronizable = .any
            query.limit = .all
            query.returns = [.attributes, .data]
            return try store.find(query, groups: [group])
        }
    }

    @Test func allOfThemGoOver() throws {
        let store = try filled()
        let before = try all(store, StoreFixture.group)
        #expect(try move(store) == 24)
        #expect(try all(store, StoreFixture.group).isEmpty)
        let after = try all(store, signed)
        #expect(after.map(\.password) == before.map(\.password) && after.map(\.identifier) == before.map(\.identifier))
        #expect(after.allSatisfy { $0.attributes[.accessGroup] == .text("signed") })
        #expect(after.allSatisfy { $0.attributes[.modificationDate] == .date(1000) })
        #expect(try store.check(from: 0).findings.isEmpty)
        // The items can be moved back.
        #expect(try move(store, signed, to: StoreFixture.group) == 24)
        #expect(try all(store, StoreFixture.group).map(\.password) == before.map(\.password))
    }

    @Test func noneWhereOneIsInTheWay() throws {
        let store = try filled()
        try store.add(.password("service", "7", secret: "the other's"), group: signed)
        expect(.duplicateItem) { try move(store) }
        #expect(try all(store, StoreFixture.group).count == 24 && all(store, signed).count == 1)
        try store.delete(.password("service", "7"), groups: [signed], request: .fresh())
        #expect(try move(store) == 24)
    }

    @Test func noneWhereOneIsRefused() throws {
        let store = try filled()
        var asked = 0
        expect(.authFailed) {
            try move(store) { _ in
                asked += 1
                return asked < 10
            }
        }
        #expect(try all(store, StoreFixture.group).count == 24 && all(store, signed).isEmpty)
    }

    @Test func noneWhereOneIsLocked() throws {
        let store = try filled()
        try store.add(.password("locked", "a", secret: "s").with { $0.accessibility = .whenUnlocked })
        fixture.keys.state.withLock { $0.locked = [.whenUnlocked] }
        expect(.interactionNotAllowed) { try move(store) }
        fixture.keys.state.withLock { $0.locked = [] }
        #expect(try move(store) == 25)
    }

    @Test func itIsDoneOnce() throws {
        let store = try filled()
        let request = try ChangeRequest.fresh()
        #expect(try move(store, request: request) == 24)
        try store.add(.password("later", "a", secret: "s"))
        #expect(try move(store, request: request) == 0)
        #expect(try all(store, StoreFixture.group).count == 1)
    }

    @Test func thereHasToBeSomethingToMove() throws {
        let store = try fixture.open()
        expect(.itemNotFound) { try move(store) }
        expect(.param) { try move(store, to: StoreFixture.group) }
    }
}
