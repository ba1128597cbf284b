import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Row keys that are made before their rows: for one row each, and gone when they must be.
@Suite struct ReadyRowKeyTests {
    /// The thread that forgets keys in time, run step by step by the test.
    private final class Expiry: Sendable {
        let steps = Mutex<[@Sendable () -> Bool]>([])
        let hasThread: Bool
        init(hasThread: Bool = true) { self.hasThread = hasThread }

        var holders: KeyHolders {
            KeyHolders { [self] _, step in
                if hasThread { steps.withLock { $0.append(step) } }
                return hasThread
            }
        }
    }

    private let expiry = Expiry()
    private let keys: FakeKeySource
    private let fixture: StoreFixture

    init() {
        keys = FakeKeySource(holders: expiry.holders)
        fixture = StoreFixture(keys: keys)
    }

    private var requests: [Int] { keys.state.withLock { $0.createdRowKeys } }

    private func add(_ range: Range<Int>, to store: ItemStore, group: AccessGroup = StoreFixture.group) throws {
        for index in range { try store.add(.password("ready", "\(index)", secret: "secret \(index)"), group: group) }
    }

    private static let all = ItemQuery.password("ready", returns: [.data, .attributes]).with { $0.limit = .all }

    private func wrappedKeys(_ store: ItemStore) throws -> Int {
        try store.integer("SELECT count(DISTINCT row_key) FROM items")
    }

    // MARK: Use

    @Test func anAdditionAloneAsksForItsOwnKey() throws {
        let store = try fixture.open()
        try add(0..<1, to: store)
        #expect(requests == [1])
        #expect(store.readyKeys.count == 0)
    }

    @Test func additionsInARowAskEverMoreRarely() throws {
        let store = try fixture.open()
        try add(0..<47, to: store)
        // The first is alone, and each request brings its own key too: 1 + 2 + 4 + 8 + 16 + 16 are 47.
        #expect(requests == [1, 2, 4, 8, 16, 16])
        #expect(store.readyKeys.count == 0)
        try add(47..<48, to: store)
        #expect(requests.last == ReadyRowKeys.mostOfRequest)
    }

    @Test func eachKeySealsOneRow() throws {
        let store = try fixture.open()
        try add(0..<60, to: store)
        #expect(try wrappedKeys(store) == 60)
        let found = try store.find(Self.all)
        #expect(Set(found.compactMap(\.password)) == Set((0..<60).map { "secret \($0)" }))
        #expect(Set(found.map(\.identifier)).count == 60)
        #expect(fixture.quarantined().isEmpty)
    }

    /// The identifier that a caller gets is that of the row, whichever key was taken.
    @Test func additionsAnswerWithTheRowsIdentifier() throws {
        let store = try fixture.open()
        for index in 0..<10 {
            let added = try store.add(.password("ready", "\(index)", secret: "\(index)"))
            var query = ItemQuery(itemClass: .genericPassword)
            query.identifier = added.identifier
            query.returns = .data
            #expect(try store.find(query).map(\.password) == ["\(index)"])
        }
    }

    @Test func threadsThatAddAtOnceShareNoKey() throws {
        let store = try fixture.open()
        let failures = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do { try add(thread * 50..<(thread + 1) * 50, to: store) } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty })
        #expect(try wrappedKeys(store) == 400)
        #expect(Set(try store.find(Self.all).compactMap(\.password)).count == 400)
        #expect(fixture.quarantined().isEmpty)
    }

    @Test func aKeyIsForRowsOfItsOwnKindOnly() throws {
        let store = try fixture.open()
        try add(0..<5, to: store)
        let ready = store.readyKeys.count
        #expect(ready > 0)
        try store.add(.password("other", "a", secret: "1").with { $0.accessibility = .always })
        try store.add(.password("other", "b", secret: "1").with { $0.isSynchronizable = true })
        try store.add(.internet("other", "c", secret: "1"))
        try store.add(.password("other", "d", secret: "1"), group: "another.group")
        #expect(requests.suffix(4) == [1, 1, 1, 1])
        // The fifth kind has taken the place of the one that was used longest ago.
        #expect(store.readyKeys.count == 0)
        #expect(try wrappedKeys(store) == 9)
    }

    @Test func rowsWithConstraintsGetNone() throws {
        let store = try fixture.open()
        for index in 0..<4 {
            let constraints = try ConstrainedItemTests.constraints(index + 1)
            try store.add(
                .password("ready", "\(index)", secret: "1").with {
                    $0.accessibility = .whenUnlocked
                    $0.constraints = constraints
                })
        }
        #expect(requests == [1, 1, 1, 1])
        #expect(store.readyKeys.count == 0)
        var place = try store.context(ofNew: .password("ready", "key"), group: StoreFixture.group)
        #expect(ReadyRowKeys.serves(place))
        place.keyCustody = .exportable
        #expect(!ReadyRowKeys.serves(place))
    }

    /// An item that replaces a tombstone is another version of that row, which no ready key is for.
    @Test func anItemThatReplacesATombstoneHasAKeyOfItsOwn() throws {
        let store = try fixture.open()
        func item(_ account: Int) -> NewItem {
            .password("ready", "\(account)", secret: "secret \(account)").with { $0.isSynchronizable = true }
        }
        for account in 0..<5 { try store.add(item(account)) }
        try store.delete(item(2).query)
        try store.add(item(2))
        let query = item(2).query.with { $0.returns = .data }
        #expect(try store.find(query).map(\.password) == ["secret 2"])
        #expect(try wrappedKeys(store) == 5)
    }

    @Test func aDuplicateUsesUpItsKey() throws {
        let store = try fixture.open()
        try add(0..<10, to: store)
        for _ in 0..<10 {
            expect(.duplicateItem) { try store.add(.password("ready", "1", secret: "another")) }
        }
        try add(10..<20, to: store)
        #expect(try wrappedKeys(store) == 20)
        #expect(Set(try store.find(Self.all).compactMap(\.password)).count == 20)
    }

    // MARK: Forgetting

    @Test func aLockForgetsThem() throws {
        let store = try fixture.open()
        try add(0..<5, to: store)
        #expect(store.readyKeys.count > 0)
        keys.state.withLock { $0.locked = [.whenUnlocked] }
        keys.holders?.forgetKeys()
        #expect(store.readyKeys.count == 0)
        expect(.interactionNotAllowed) { try add(5..<6, to: store) }
        keys.state.withLock { $0.locked = [] }
        try add(6..<7, to: store)
        // It begins anew: with one key for the addition that failed, and two for the next.
        #expect(requests.suffix(2) == [1, 2])
    }

    @Test func theStoresOwnForgettingForgetsThem() throws {
        let store = try fixture.open()
        try add(0..<5, to: store)
        store.forgetKeys()
        #expect(store.readyKeys.count == 0)
    }

    @Test func keysThatComeAfterALockAreNotKept() throws {
        let store = try fixture.open()
        try add(0..<3, to: store)
        keys.state.withLock { state in state.afterCreating = { [keys] in keys.holders?.forgetKeys() } }
        try add(3..<4, to: store)
        #expect(requests.last == 4)
        #expect(store.readyKeys.count == 0)
    }

    @Test func noneIsUsedUnderAReplacedKey() throws {
        let store = try fixture.open()
        try add(0..<9, to: store)
        #expect(store.readyKeys.count > 0)
        keys.replaceKeys()
        store.metadataKeys.retire(keys.state.withLock { $0.superseded })
        try add(9..<10, to: store)
        #expect(store.readyKeys.count == 0)
        let present = try #require(keys.state.withLock { $0.currentClassKeys[.whenUnlocked] })
        #expect(try store.integer("SELECT count(*) FROM items WHERE class_key = \(present)") == 1)
    }

    @Test func theEndOfTheStoreForgetsThem() throws {
        for end in [{ $0.retire() }, { try $0.close() }] as [(ItemStore) throws -> Void] {
            let store = try StoreFixture(keys: FakeKeySource(holders: expiry.holders)).open()
            try add(0..<5, to: store)
            #expect(store.readyKeys.count > 0)
            try end(store)
            #expect(store.readyKeys.count == 0)
        }
    }

    // MARK: Number and time

    @Test func theirNumberIsBounded() throws {
        let store = try fixture.open()
        let groups = (0..<2 * ReadyRowKeys.mostKinds).map { AccessGroup("group.\($0)") }
        let most = ReadyRowKeys.mostKinds * (ReadyRowKeys.mostOfRequest - 1)
        for group in groups {
            for index in stride(from: 0, to: 64, by: 16) {
                try add(index..<index + 16, to: store, group: group)
                #expect(store.readyKeys.count <= most)
            }
        }
        #expect(requests.allSatisfy { $0 <= ReadyRowKeys.mostOfRequest })
    }

    @Test func anOldKeyIsNotUsed() throws {
        let store = try fixture.open()
        try add(0..<5, to: store)
        #expect(store.readyKeys.count > 0)
        fixture.elapsed.withLock { $0 += ReadyRowKeys.lifetime }
        try add(5..<6, to: store)
        #expect(requests.last == 1)
        #expect(store.readyKeys.count == 0)
    }

    /// The thread forgets old keys where no further addition comes, and ends.
    @Test func oldKeysAreForgottenInTime() throws {
        let store = try fixture.open()
        try add(0..<5, to: store)
        let step = try #require(expiry.steps.withLock { $0.first })
        #expect(expiry.steps.withLock { $0.count } == 1)
        #expect(step())
        #expect(store.readyKeys.count > 0)
        fixture.elapsed.withLock { $0 += ReadyRowKeys.lifetime }
        #expect(!step())
        #expect(store.readyKeys.count == 0)
        // The next keys have a thread again.
        try add(5..<10, to: store)
        #expect(expiry.steps.withLock { $0.count } == 2)
    }

    @Test func withoutAThreadThereAreNone() throws {
        let keys = FakeKeySource(holders: Expiry(hasThread: false).holders)
        let store = try StoreFixture(keys: keys).open()
        try add(0..<20, to: store)
        #expect(store.readyKeys.count == 0)
        let plain = FakeKeySource(holders: KeyHolders())
        try add(0..<20, to: try StoreFixture(keys: plain).open())
        #expect(plain.state.withLock { $0.createdRowKeys } == Array(repeating: 1, count: 20))
    }
}
