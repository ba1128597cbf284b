import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A deleted item that is added again takes over the reference of its tombstone (behaviour/adding.md, 20).
@Suite struct ReplacedTombstoneTests {
    let fixture = StoreFixture()

    private let item = NewItem.password("svc", "acc", secret: "old", returns: .persistentReference).with {
        $0.isSynchronizable = true
    }

    private func bury(in store: ItemStore) throws -> FoundItem {
        let first = try store.add(item)
        try store.delete(item.query)
        return first
    }

    private func named(_ identifier: ItemIdentifier) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.identifier = identifier
        query.synchronizable = .any
        query.returns = .data
        return query
    }

    @Test func theReferenceIsTakenOver() throws {
        let store = try fixture.open()
        let first = try bury(in: store)
        #expect(try store.find(named(first.identifier)).isEmpty)
        let again = try store.add(item.with { $0.secret = SecretBytes("new".utf8) })
        #expect(again.identifier == first.identifier)
        #expect(try store.find(named(first.identifier)).first?.password == "new")
        #expect(try store.integer("SELECT count(*) FROM items") == 1)
        #expect(try store.integer("SELECT version FROM items") == 3, "no version of a row is sealed twice")
        #expect(try store.statistics().tombstones == 0)
        expect(.duplicateItem) { try store.add(item) }
        // The same again, without a secret and after the store is opened anew.
        try store.delete(item.query)
        let reopened = try fixture.open()
        let bare = try reopened.add(item.with { $0.secret = nil })
        #expect(bare.identifier == first.identifier)
        #expect(try reopened.find(named(first.identifier)).map(\.password) == [nil])
        #expect(fixture.quarantined().isEmpty)
    }

    @Test func anotherItemTakesNothingOver() throws {
        let store = try fixture.open()
        let first = try bury(in: store)
        #expect(try store.add(item.with { $0.isSynchronizable = false }).identifier != first.identifier)
        #expect(try store.add(item.with { $0.attributes[.account] = .text("other") }).identifier != first.identifier)
        #expect(try store.add(item, group: "other.group").identifier != first.identifier)
        #expect(try store.statistics().tombstones == 1)
    }

    @Test func aRepeatedAdditionIsAnsweredOnce() throws {
        let store = try fixture.open()
        let first = try bury(in: store)
        let request = try ChangeRequest.fresh()
        for _ in 0..<3 {
            let added = try store.add(item, group: StoreFixture.group, request: request)
            #expect(added.identifier == first.identifier)
        }
        #expect(try store.integer("SELECT count(*) FROM items") == 1)
    }

    @Test func aTombstoneThatDoesNotOpenStaysAsItIs() throws {
        let store = try fixture.open()
        let first = try bury(in: store)
        try store.tamper("UPDATE items SET metadata = randomblob(200) WHERE tomb = 1")
        let again = try store.add(item)
        #expect(again.identifier != first.identifier)
        #expect(try store.find(named(again.identifier)).first?.password == "old")
        #expect(try store.integer("SELECT count(*) FROM items WHERE tomb = 1") == 1)
        // The next deletion puts the item's own tombstone in its place.
        try store.delete(item.query)
        #expect(try store.add(item).identifier == again.identifier)
    }

    @Test func aLockedTombstoneStaysAsItIs() throws {
        let store = try fixture.open()
        let first = try store.add(item.with { $0.accessibility = .afterFirstUnlock })
        try store.delete(item.query)
        store.forgetKeys()
        _ = fixture.keys.state.withLock { $0.locked.insert(.afterFirstUnlock) }
        #expect(try store.add(item).identifier != first.identifier)
    }

    @Test func manyAtOnceLeaveOneItem() throws {
        let store = try fixture.open()
        let first = try bury(in: store)
        let item = item
        let added = Mutex<[ItemIdentifier]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            guard let identifier = try? store.add(item).identifier else { return }
            added.withLock { $0.append(identifier) }
        }
        #expect(added.withLock { $0 } == [first.identifier])
        #expect(try store.integer("SELECT count(*) FROM items") == 1)
    }

    /// The snapshot's version of the item is older than the present one, whether it is an item or a tombstone.
    @Test(arguments: [false, true])
    func anOlderSnapshotDoesNotBringBackAnotherLife(_ isBuried: Bool) throws {
        let store = try fixture.open()
        let first = try store.add(item)
        if isBuried { try store.delete(item.query) }
        _ = try store.takeSnapshot(.request)
        if !isBuried { try store.delete(item.query) }
        try store.add(item.with { $0.secret = SecretBytes("new".utf8) })
        #expect(try store.find(named(first.identifier)).first?.password == "new")
        // The row is damaged. The snapshot's row replaces it, as an item or a tombstone, and no row exists twice.
        try store.tamper("UPDATE items SET secret = randomblob(60)")
        let found = try store.find(named(first.identifier)).map(\.password)
        #expect(found == (isBuried ? [] : ["old"]))
        #expect(try store.integer("SELECT count(*) FROM items") == 1)
        if isBuried { #expect(try store.add(item).identifier == first.identifier) }
    }
}
