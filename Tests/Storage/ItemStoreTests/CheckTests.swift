import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A check finds damaged rows and digests, and repairs or sets aside each of them.
@Suite struct CheckTests {
    let fixture = StoreFixture()

    /// All steps of a check.
    private func check(_ store: ItemStore) throws -> StoreCheck {
        var sum = try store.check(from: 0)
        while let next = sum.next {
            let step = try store.check(from: next)
            sum.next = step.next
            sum.rows += step.rows
            sum.locked += step.locked
            sum.findings += step.findings
        }
        return sum
    }

    private func filled(_ range: Range<Int> = 0..<40) throws -> ItemStore {
        let store = try fixture.open()
        for index in range { try store.add(StoreFixture.item(index)) }
        return store
    }

    @Test func aSoundStore() throws {
        let store = try filled(0..<600)
        try store.delete(.password("svc", "3").with { $0.leavesTombstone = true })
        let check = try check(store)
        #expect(check.structure.isEmpty && check.findings.isEmpty && check.locked == 0)
        #expect(check.rows == 600 && check.total == 600)
        #expect(!store.needsReopening)
        #expect(try fixture.accounts(store).count == 599)
    }

    @Test(arguments: [
        ("UPDATE items SET metadata = zeroblob(90) WHERE row = 7", DamageReason.metadata),
        ("UPDATE items SET secret = zeroblob(90) WHERE row = 7", .secret),
        ("UPDATE items SET row_key = zeroblob(60) WHERE row = 7", .rowKey),
        ("UPDATE items SET pdmn = 99 WHERE row = 7", .columns),
        ("UPDATE items SET metadata_key = 4711 WHERE row = 7", .unknownKey),
        ("UPDATE items SET secret = NULL, row_key = NULL, class_key = NULL WHERE row = 7", .secret),
    ])
    func aDamagedRowIsSetAsideAndReplaced(sql: String, reason: DamageReason) throws {
        let store = try filled()
        _ = try store.takeSnapshot(.request)
        try store.tamper(sql)
        let check = try check(store)
        #expect(check.findings.map(\.reason) == [reason])
        #expect(check.findings.map(\.outcome) == [.replaced])
        #expect(try fixture.accounts(store) == Set(0..<40))
        #expect(try store.statistics().quarantined == 1)
        #expect(try fixture.listed() == ["rows-altered", "set-aside", "restored"])
        #expect(try self.check(store).findings.isEmpty)
    }

    @Test func aDamagedRowWithoutASnapshotIsSetAside() throws {
        let store = try filled()
        try store.tamper("UPDATE items SET metadata = zeroblob(90) WHERE row IN (7, 9)")
        #expect(try check(store).findings.map(\.outcome) == [.setAside, .setAside])
        #expect(try fixture.accounts(store).count == 38)
    }

    @Test func digestsAreWrittenAnew() throws {
        let store = try filled()
        try store.tamper("UPDATE items SET pair = zeroblob(16), owner = NULL WHERE row = 7")
        try store.tamper("UPDATE items SET unique_digest = zeroblob(32) WHERE row = 8")
        #expect(try store.find(RecoveryTests.query(6)).isEmpty)
        #expect(try check(store).findings.map(\.outcome) == [.mended, .mended])
        #expect(try store.find(RecoveryTests.query(6)).map(\.password) == ["6"])
        #expect(try store.statistics().quarantined == 0)
    }

    @Test func swappedSeals() throws {
        let store = try filled()
        try store.tamper(
            """
            CREATE TEMP TABLE kept AS SELECT row, metadata FROM items WHERE row IN (7, 8);
            UPDATE items SET metadata = (SELECT metadata FROM kept WHERE kept.row = 15 - items.row) WHERE row IN (7, 8);
            """)
        #expect(try check(store).findings.map(\.reason) == [.metadata, .metadata])
        #expect(try fixture.accounts(store).count == 38)
    }

    @Test func aSearchReplacesADamagedRowToo() throws {
        let store = try filled()
        _ = try store.takeSnapshot(.request)
        try store.update(.password("svc", "7"), ItemChange.label("newer"))
        try store.tamper(
            "UPDATE items SET metadata = zeroblob(90) WHERE row = 8; UPDATE items SET secret = zeroblob(90) WHERE row = 9"
        )
        #expect(try store.find(RecoveryTests.query(7)).map(\.password) == ["7"])
        #expect(try store.find(RecoveryTests.query(8)).map(\.password) == ["8"])
        // The item is there, in the version of the snapshot.
        expect(.duplicateItem) { try store.add(StoreFixture.item(7)) }
        #expect(fixture.quarantined() == [.metadata, .secret])
    }

    @Test func aDamagedIndexMakesTheStoreOneToBeMadeAnew() throws {
        do { _ = try filled() }
        try fixture.garblePage(try #require(try fixture.pages(of: "items_label").last))
        let store = try fixture.open()
        #expect(!(try store.check(from: 0).structure.isEmpty))
        #expect(store.isDamaged && store.needsReopening)
    }

    @Test func lockedRowsAreNoFindings() throws {
        let store = try filled()
        fixture.keys.state.withLock { $0.locked = Set(Accessibility.allCases) }
        store.forgetKeys()
        let check = try check(store)
        #expect(check.locked == 40 && check.findings.isEmpty)
    }

    @Test func theMarkIsLookedAt() throws {
        let store = try filled(0..<3)
        try FileManager.default.removeItem(atPath: fixture.mark)
        #expect(try store.check(from: 0).structure == ["the mark was changed or removed since the last change"])
        #expect(!store.needsReopening)
    }
}
