import ChatelaineMemory
import ChatelaineModel
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Additions, updates and deletions happen exactly once, and as a whole or not at all.
@Suite struct ChangeTests {
    let fixture = StoreFixture()

    private func change(_ body: (inout ItemChange) -> Void) -> ItemChange {
        var change = ItemChange()
        body(&change)
        return change
    }

    @Test func addFillsInWhatIsMissing() throws {
        fixture.time.withLock { $0 = 1000 }
        let store = try fixture.open()
        let item = try store.add(.password("svc", returns: .attributes))
        #expect(item.attributes[.account] == .text(""))
        #expect(item.attributes[.creationDate] == .date(1000))
        #expect(item.attributes[.modificationDate] == .date(1000))
        #expect(item.attributes[.accessGroup] == .text(StoreFixture.group.text))
        expect(.duplicateItem) { try store.add(.password("svc", "")) }
        // A caller may pass the dates of an item that a search returned; they do not count (behaviour/adding.md, 5).
        let dated = try store.add(
            .password("dated", returns: .attributes).with {
                $0.attributes[.creationDate] = .date(5)
                $0.attributes[.modificationDate] = .date(6)
            })
        #expect(dated.attributes[.creationDate] == .date(1000) && dated.attributes[.modificationDate] == .date(1000))
        let internet = try store.add(.internet("host", "ann").with { $0.returns = .attributes })
        #expect(internet.attributes[.port] == .number(0))
        expect(.duplicateItem) { try store.add(.internet("host", "ann").with { $0.attributes[.port] = .number(0) }) }
        try store.add(.internet("host", "ann").with { $0.attributes[.port] = .number(443) })
    }

    @Test func addRefusesWhatCannotBe() throws {
        let store = try fixture.open()
        expect(.param) { try store.add(NewItem(itemClass: .identity)) }
        #expect(try store.find(ItemQuery(itemClass: .identity)).isEmpty)
        expect(.itemNotFound) { try store.delete(ItemQuery(itemClass: .identity)) }
        #expect(try store.statistics().items.isEmpty)
    }

    /// One transaction changes the certificate and the key of an identity (behaviour/identities.md, 8).
    @Test func severalChangesAreOne() throws {
        let store = try fixture.open()
        for account in ["a", "b", "c"] { try store.add(.password("svc", account)) }
        func parts(_ second: String) -> [(query: ItemQuery, change: ItemChange)] {
            [
                (.password("svc", "a"), change { $0.attributes[.label] = .text("new") }),
                (.password("svc", "b"), change { $0.attributes[.account] = .text(second) }),
            ]
        }
        let new = ItemQuery(itemClass: .genericPassword).with { $0.attributes[.label] = .text("new") }
        expect(.duplicateItem) { try store.update(parts("c"), groups: [StoreFixture.group], request: .fresh()) }
        #expect(try store.find(new).isEmpty && store.find(.password("svc", "b")).count == 1)
        expect(.itemNotFound) {
            try store.update(
                parts("d") + [(.password("svc", "none"), ItemChange())], groups: [StoreFixture.group], request: .fresh()
            )
        }
        #expect(try store.find(new).isEmpty)
        try store.update(parts("d"), groups: [StoreFixture.group], request: .fresh())
        #expect(try store.find(new).count == 1 && store.find(.password("svc", "d")).count == 1)
    }

    /// See behaviour/differences.md, 18.
    @Test func synchronizableItemsMayBeOfThisDeviceOnly() throws {
        let store = try fixture.open()
        let item = NewItem.password("a", "b", secret: "s", returns: .attributes).with {
            $0.isSynchronizable = true
            $0.accessibility = .alwaysThisDeviceOnly
        }
        let added = try store.add(item)
        #expect(added.isSynchronizable && added.accessibility == .alwaysThisDeviceOnly)
        try store.update(item.query, change { $0.accessibility = .whenUnlocked })
        try store.update(
            item.query.with { $0.accessibility = nil }, change { $0.accessibility = .whenUnlockedThisDeviceOnly })
        let found = try store.find(
            item.query.with {
                $0.accessibility = nil
                $0.returns = .data
            })
        #expect(found.map(\.accessibility) == [.whenUnlockedThisDeviceOnly] && found.first?.password == "s")
    }

    @Test func duplicatesChangeNothing() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "acc", secret: "first"))
        let sequence = try store.statistics().sequence
        expect(.duplicateItem) { try store.add(.password("svc", "acc", secret: "second")) }
        #expect(try store.find(.password("svc", returns: .data)).first?.password == "first")
        #expect(try store.statistics().sequence == sequence)
        let hinted = NewItem.password("svc", "acc").with { $0.attributes[.viewHint] = .text("view") }
        try store.add(hinted)
        try store.add(.password("svc", "acc").with { $0.attributes[.tokenID] = .text("token") })
        #expect(try store.find(.password("svc", "acc").with { $0.limit = .all }).count == 3)
    }

    @Test func updateChangesAttributesSecretAndDate() throws {
        fixture.time.withLock { $0 = 1000 }
        let store = try fixture.open()
        let added = try store.add(.password("svc", "acc", secret: "old"))
        fixture.time.withLock { $0 = 2000 }
        try store.update(.password("svc"), change { $0.attributes[.label] = .text("new label") })
        let query = ItemQuery.password("svc", returns: [.attributes, .data])
        var item = try #require(try store.find(query).first)
        #expect(item.password == "old")
        #expect(item.attributes[.label] == .text("new label"))
        #expect(item.attributes[.creationDate] == .date(1000))
        #expect(item.attributes[.modificationDate] == .date(2000))
        #expect(item.identifier == added.identifier)
        fixture.time.withLock { $0 = 1500 }
        try store.update(.password("svc"), change { $0.secret = SecretBytes("new".utf8) })
        item = try #require(try store.find(query).first)
        #expect(item.password == "new")
        #expect(item.attributes[.modificationDate] == .date(2000.001))
        try store.update(.password("svc"), ItemChange())
        item = try #require(try store.find(query).first)
        #expect(item.attributes[.modificationDate] == .date(2000.002))
        try store.update(.password("svc"), change { $0.attributes[.creationDate] = .date(3) })
        #expect(try store.find(query).first?.attributes[.creationDate] == .date(3))
        expect(.itemNotFound) { try store.update(.password("nothing"), ItemChange()) }
    }

    @Test func updateOfUniqueAttributesMovesTheItem() throws {
        let store = try fixture.open()
        let added = try store.add(.password("svc", "acc", secret: "s"))
        try store.update(.password("svc", "acc"), change { $0.attributes[.account] = .text("other") })
        #expect(try store.find(.password("svc", "acc")).isEmpty)
        #expect(try store.find(.password("svc", "other", returns: .data)).map(\.password) == ["s"])
        let reference = ItemQuery(itemClass: .genericPassword).with { $0.identifier = added.identifier }
        #expect(try store.find(reference).count == 1)
        try store.add(.password("svc", "acc", secret: "t"))
        expect(.duplicateItem) {
            try store.update(.password("svc", "acc"), change { $0.attributes[.account] = .text("other") })
        }
        // Two items cannot become one, and neither changes.
        expect(.duplicateItem) {
            try store.update(.password("svc"), change { $0.attributes[.account] = .text("same") })
        }
        #expect(try store.find(.password("svc", "acc", returns: .data)).map(\.password) == ["t"])
        #expect(try store.find(.password("svc", "other", returns: .data)).map(\.password) == ["s"])
    }

    @Test func updateMovesItemsBetweenGroupsAndClasses() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "1"))
        try store.add(.password("svc", "b", secret: "2"))
        try store.add(.password("svc", "c"))
        try store.update(
            .password("svc"),
            change {
                $0.accessGroup = "moved"
                $0.accessibility = .afterFirstUnlock
                $0.isSynchronizable = true
            })
        let query = ItemQuery.password("svc", returns: [.data, .attributes]).with {
            $0.limit = .all
            $0.synchronizable = .synchronizable
        }
        #expect(try store.find(query).isEmpty)
        let moved = try store.find(query, groups: ["moved"])
        #expect(moved.map(\.password) == ["1", "2", nil])
        #expect(moved.allSatisfy { $0.accessibility == .afterFirstUnlock && $0.isSynchronizable })
        #expect(moved.first?.attributes[.accessGroup] == .text("moved"))
    }

    @Test func aSecretMayBeGivenToAnItemWithout() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a"))
        try store.update(.password("svc"), change { $0.secret = SecretBytes("x".utf8) })
        #expect(try store.find(.password("svc", returns: .data)).first?.password == "x")
        try store.update(.password("svc"), change { $0.attributes[.comment] = .text("kept") })
        try store.update(.password("svc"), change { $0.attributes[.comment] = .text("kept again") })
        #expect(try store.find(.password("svc", returns: .data)).first?.password == "x")
    }

    @Test func deletionLeavesTombstonesWhereItShould() throws {
        let store = try fixture.open()
        let synced = NewItem.password("svc", "a", secret: "s").with { $0.isSynchronizable = true }
        try store.add(synced)
        try store.add(.password("svc", "a", secret: "l"))
        try store.delete(.password("svc").with { $0.synchronizable = .any })
        #expect(try store.statistics().tombstones == 1)
        #expect(try store.statistics().items.isEmpty)
        #expect(try store.find(.password("svc").with { $0.synchronizable = .any }).isEmpty)
        expect(.itemNotFound) { try store.delete(.password("svc").with { $0.synchronizable = .any }) }
        // A tombstone is no obstacle to a new item, a second time included.
        for _ in 0..<2 {
            try store.add(synced)
            try store.delete(synced.query)
        }
        #expect(try store.statistics().tombstones == 1)
        // The new item takes the place of its tombstone. The next deletion leaves none.
        try store.add(synced)
        #expect(try store.statistics().tombstones == 0)
        try store.delete(synced.query.with { $0.leavesTombstone = false })
        try store.add(.password("forced", "a"))
        try store.delete(.password("forced").with { $0.leavesTombstone = true })
        #expect(try store.statistics().tombstones == 1)
        #expect(try store.integer("SELECT count(*) FROM items WHERE tomb = 1 AND secret IS NOT NULL") == 0)
    }

    @Test func tombstonesAreClearedAway() throws {
        fixture.time.withLock { $0 = 1_000_000 }
        let store = try fixture.open()
        let synced = NewItem.password("svc", "a").with { $0.isSynchronizable = true }
        try store.add(synced)
        try store.delete(synced.query)
        fixture.time.withLock { $0 = 1_000_000 + 29 * 86400 }
        try store.maintain()
        #expect(try store.statistics().tombstones == 1)
        fixture.time.withLock { $0 = 1_000_000 + 31 * 86400 }
        try store.add(.password("other", "a"))
        #expect(try store.statistics().tombstones == 0)
    }

    @Test func aChangeHappensExactlyOnce() throws {
        let store = try fixture.open()
        let adding = try ChangeRequest.fresh()
        let item = NewItem.password("svc", "a", secret: "1", returns: [.data, .persistentReference])
        let first = try store.add(item, group: StoreFixture.group, request: adding)
        let again = try store.add(item, group: StoreFixture.group, request: adding)
        #expect(again.identifier == first.identifier)
        #expect(again.password == "1")
        let otherDigest = try ChangeRequest(name: adding.name, digest: Array(repeating: 9, count: 32))
        expect(.param) { _ = try store.add(item, group: StoreFixture.group, request: otherDigest) }
        let otherCaller = try ChangeRequest(name: Array(repeating: 9, count: 32), digest: adding.digest)
        expect(.duplicateItem) { _ = try store.add(item, group: StoreFixture.group, request: otherCaller) }

        let updating = try ChangeRequest.fresh()
        let groups = [StoreFixture.group]
        let renaming = change { $0.attributes[.account] = .text("b") }
        try store.update(.password("svc", "a"), renaming, groups: groups, request: updating)
        let sequence = try store.statistics().sequence
        try store.update(.password("svc", "a"), renaming, groups: groups, request: updating)
        let deleting = try ChangeRequest.fresh()
        try store.delete(.password("svc"), groups: groups, request: deleting)
        try store.delete(.password("svc"), groups: groups, request: deleting)
        #expect(try store.statistics().sequence == sequence + 1)
        // The addition gets its first answer, although the item has been deleted since.
        let gone = try store.add(item, group: StoreFixture.group, request: adding)
        #expect(gone.identifier == first.identifier)
        #expect(gone.password == "1")
        #expect(try store.find(item.query).isEmpty)
    }

    @Test func answersOutliveTheProcessAndAreBounded() throws {
        let request = try ChangeRequest.fresh()
        let item = NewItem.password("svc", "a", secret: "1")
        let first = try fixture.open().add(item, group: StoreFixture.group, request: request)
        let store = try fixture.open()
        #expect(try store.add(item, group: StoreFixture.group, request: request).identifier == first.identifier)
        try store.tamper("UPDATE store SET sequence = 4096 + 5")
        for index in 0..<10 { try store.add(.password("x", "\(index)")) }
        #expect(try store.integer("SELECT max(slot) FROM requests") < 4096)
    }

    @Test func aChangeStartsOverWhenOvertaken() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "0"))
        let overtaken = Atomic<Int>(0)
        // While row keys are made, another thread changes the same item, three times in all.
        fixture.keys.state.withLock {
            $0.beforeCreating = {
                guard overtaken.add(1, ordering: .relaxed).newValue <= 3 else { return }
                var label = ItemChange()
                label.attributes[.label] = .text("\(overtaken.load(ordering: .relaxed))")
                #expect(throws: Never.self) { try store.update(.password("svc"), label) }
            }
        }
        try store.update(.password("svc"), change { $0.secret = SecretBytes("1".utf8) })
        fixture.keys.state.withLock { $0.beforeCreating = nil }
        let item = try #require(try store.find(.password("svc", returns: [.data, .attributes])).first)
        #expect(item.password == "1")
        #expect(item.attributes[.label] == .text("3"))
        #expect(overtaken.load(ordering: .relaxed) == 4)
    }

    @Test func aChangeThatIsAlwaysOvertakenGetsItsTurn() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "0"))
        try store.add(.password("svc", "b", secret: "0"))
        let overtaken = Atomic<Int>(0)
        fixture.keys.state.withLock {
            $0.beforeCreating = {
                let number = overtaken.add(1, ordering: .relaxed).newValue
                guard number <= RowStore.patientAttempts else { return }
                var label = ItemChange()
                label.attributes[.label] = .text("x")
                #expect(throws: Never.self) {
                    try store.update(.password("svc", "a"), label)
                    // The last attempt, which keeps all others from writing, meets damage as well.
                    if number == RowStore.patientAttempts {
                        try store.tamper("UPDATE items SET metadata = X'00' WHERE row = 2")
                    }
                }
            }
        }
        try store.update(.password("svc"), change { $0.secret = SecretBytes("1".utf8) })
        fixture.keys.state.withLock { $0.beforeCreating = nil }
        let query = ItemQuery.password("svc", returns: .data).with { $0.limit = .all }
        #expect(try store.find(query).map(\.password) == ["1"])
        #expect(fixture.quarantined() == [.metadata])
    }

    @Test func anUpdateIsNotOvertakenByChangesOfOtherItems() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "0"))
        let attempts = Atomic<Int>(0)
        fixture.keys.state.withLock {
            $0.beforeCreating = {
                let number = attempts.add(1, ordering: .relaxed).newValue
                guard number == 1 else { return }
                #expect(throws: Never.self) { try store.add(.password("other", "\(number)")) }
            }
        }
        try store.update(.password("svc"), change { $0.secret = SecretBytes("1".utf8) })
        #expect(attempts.load(ordering: .relaxed) == 1)
    }
}
