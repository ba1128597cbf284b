import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A damaged row is set aside alone, never gives a wrong answer, and does not affect other rows.
@Suite struct DamageTests {
    let fixture = StoreFixture()
    private let everything = ItemQuery(itemClass: .genericPassword).with {
        $0.limit = .all
        $0.returns = .data
    }

    /// Damages the item `svc`, and expects it to vanish alone and to make room for its successor.
    private func check(_ sql: String, _ reason: DamageReason, query: ItemQuery? = nil) throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "damaged"))
        try store.add(.password("other", "b", secret: "whole"))
        try store.tamper(sql)
        let found = try store.find(query ?? .password("svc", "a", returns: .data))
        #expect(found.isEmpty)
        #expect(try store.find(everything).map(\.password) == ["whole"])
        #expect(fixture.quarantined() == [reason])
        #expect(try store.statistics().quarantined == 1)
        try store.add(.password("svc", "a", secret: "new"))
        #expect(try store.find(.password("svc", "a", returns: .data)).map(\.password) == ["new"])
        #expect(
            try store.integer("SELECT count(*) FROM quarantine WHERE metadata IS NOT NULL AND uuid IS NOT NULL") == 1)
    }

    @Test func flippedMetadata() throws {
        try check("UPDATE items SET metadata = CAST(X'0102' || substr(metadata, 3) AS BLOB) WHERE row = 1", .metadata)
    }

    @Test func shortMetadata() throws { try check("UPDATE items SET metadata = X'00' WHERE row = 1", .metadata) }

    @Test func flippedSecret() throws {
        try check("UPDATE items SET secret = CAST(X'0102' || substr(secret, 3) AS BLOB) WHERE row = 1", .secret)
    }

    @Test func flippedRowKey() throws {
        try check("UPDATE items SET row_key = CAST(X'0102' || substr(row_key, 3) AS BLOB) WHERE row = 1", .rowKey)
    }

    /// No custodian takes such a key, so that the update has to find the damage by itself.
    @Test(arguments: ["row_key", "secret"]) func aPrivateKeyThatIsTooLongIsSetAsideByAnUpdate(column: String) throws {
        let store = try fixture.open()
        for index in 0..<2 { try store.add(SearchedItems.item(.key, index, secret: "\(index)")) }
        try store.tamper("UPDATE items SET \(column) = zeroblob(70000) WHERE row = 1")
        let all = ItemQuery(itemClass: .key).with { $0.limit = .all }
        try store.update(all, ItemChange().with { $0.accessibility = .afterFirstUnlock })
        #expect(fixture.quarantined() == [.rowKey])
        #expect(try store.find(all).map(\.accessibility) == [.afterFirstUnlock])
    }

    @Test func strippedSecret() throws {
        try check("UPDATE items SET secret = NULL, row_key = NULL, class_key = NULL WHERE row = 1", .secret)
    }

    @Test func swappedMetadata() throws {
        try check("UPDATE items SET metadata = (SELECT metadata FROM items WHERE row = 2) WHERE row = 1", .metadata)
    }

    @Test func swappedSecret() throws {
        try check(
            """
            UPDATE items SET secret = (SELECT secret FROM items WHERE row = 2),
            row_key = (SELECT row_key FROM items WHERE row = 2) WHERE row = 1
            """, .rowKey)
    }

    @Test func changedProtectionClass() throws { try check("UPDATE items SET pdmn = 3 WHERE row = 1", .metadata) }

    @Test func senselessProtectionClass() throws { try check("UPDATE items SET pdmn = 99 WHERE row = 1", .columns) }

    @Test func changedVersion() throws { try check("UPDATE items SET version = 7 WHERE row = 1", .metadata) }

    @Test func unknownMetadataKey() throws {
        try check("UPDATE items SET metadata_key = 77 WHERE row = 1", .unknownKey)
    }

    @Test func digestOfAnotherItem() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "one"))
        try store.add(.password("other", "b", secret: "two"))
        try store.tamper("UPDATE items SET pair = (SELECT pair FROM items WHERE row = 2) WHERE row = 1")
        #expect(
            try store.find(.password("other", "b", returns: .data).with { $0.limit = .all }).map(\.password) == ["two"])
        #expect(fixture.quarantined() == [.digest])
    }

    @Test func aWholeRowOfAnotherStoreDoesNotOpen() throws {
        let foreign = StoreFixture(keys: fixture.keys)
        let other = try foreign.open()
        try other.add(.password("svc", "a", secret: "foreign"))
        let store = try fixture.open()
        try store.add(.password("x", "y"))
        try fixture.write(
            """
            ATTACH '\(foreign.database)' AS foreign_store;
            INSERT INTO items SELECT 50, uuid, class, pdmn, sync, tomb, version, sequence, group_digest, unique_digest,
            pair, owner, place, label, tag, metadata_key, metadata, class_key, row_key, secret FROM foreign_store.items;
            DETACH foreign_store;
            """)
        // The change ends the state that readers may still look at.
        try store.add(.password("z", "z"))
        #expect(try store.find(.password("svc", "a", returns: .data)).isEmpty)
        #expect(fixture.quarantined() == [.metadata])
    }

    @Test func anAdditionMeetsADamagedRow() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "1"))
        try store.tamper("UPDATE items SET metadata = X'00'")
        try store.add(.password("svc", "a", secret: "2"))
        #expect(try store.find(.password("svc", "a", returns: .data)).map(\.password) == ["2"])
        #expect(fixture.quarantined() == [.metadata])
    }

    @Test func changesLeaveDamagedRowsOut() throws {
        let store = try fixture.open()
        for account in ["a", "b", "c"] { try store.add(.password("svc", account, secret: account)) }
        try store.tamper("UPDATE items SET metadata = X'00' WHERE row = 1")
        var label = ItemChange()
        label.attributes[.label] = .text("x")
        try store.update(.password("svc"), label)
        try store.tamper("UPDATE items SET secret = X'00' WHERE row = 2")
        var group = ItemChange()
        group.accessGroup = "moved"
        try store.update(.password("svc"), group)
        #expect(try store.find(everything, groups: ["moved"]).map(\.password) == ["c"])
        #expect(fixture.quarantined() == [.metadata, .secret])
        try store.tamper("UPDATE items SET metadata = X'00' WHERE row = 3")
        expect(.itemNotFound) { try store.delete(.password("svc"), groups: ["moved"], request: .fresh()) }
    }

    @Test func damagedSecretsDoNotUseUpTheLimit() throws {
        let store = try fixture.open()
        for account in ["a", "b", "c"] { try store.add(.password("svc", account, secret: account)) }
        try store.tamper("UPDATE items SET secret = X'00' WHERE row < 3")
        #expect(try store.find(.password("svc", returns: .data)).map(\.password) == ["c"])
        #expect(fixture.quarantined() == [.secret, .secret])
    }

    /// Each damaged row is set aside when a search meets it, so that a repeated search meets fewer
    /// (behaviour/errors.md, 14).
    @Test func aSearchThatMeetsNothingButDamageIsGivenUp() throws {
        let store = try fixture.open()
        let count = ItemStore.maximumAttempts + 3
        for index in 0..<count { try store.add(.password("svc", "\(index)", secret: "s")) }
        try store.tamper("UPDATE items SET secret = X'00'")
        expect(.decode) { _ = try store.find(.password("svc", returns: .data)) }
        #expect(fixture.quarantined().count == ItemStore.maximumAttempts)
        #expect(try store.find(.password("svc", returns: .data)).isEmpty)
        #expect(fixture.quarantined().count == count)
    }

    @Test func lockedRowsAreNotDamaged() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "1"))
        fixture.keys.state.withLock { $0.locked = [.whenUnlocked] }
        store.forgetKeys()
        // The caller must not learn of a duplicate while that item is locked.
        expect(.interactionNotAllowed) { try store.add(.password("svc", "a").with { $0.accessibility = .always }) }
        fixture.keys.state.withLock { $0.locked = [] }
        #expect(try store.find(.password("svc", returns: .data)).map(\.password) == ["1"])
    }
}
