import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Sealing
import Testing

@testable import ItemStore
@testable import StoreEngine

/// What keeps constraints: seals, checks, snapshots, and what is saved of damage.
extension ConstrainedItemTests {
    @Test func noOtherConstraintsOpenTheRowKey() throws {
        let store = try filled()
        for index in Self.flags.indices {
            let row = try row(store, "\(index)")
            for other in [nil, try Self.constraints((index + 1) % Self.flags.count)] {
                var place = row.secretContext
                place.constraints = other
                #expect(try secret(store, "\(index)", at: place) == nil)
            }
        }
        var place = try row(store, "plain").secretContext
        place.constraints = try Self.constraints(0)
        #expect(try secret(store, "plain", at: place) == nil)
    }

    @Test func aCheckTakesThemForWhole() throws {
        let store = try filled()
        try store.add(try item(1, secret: nil).with { $0.attributes[.account] = .text("without") })
        var (next, rows): (Int64?, Int) = (0, 0)
        while let position = next {
            let step = try store.check(from: position)
            #expect(step.findings.isEmpty && step.locked == 0 && step.structure.isEmpty)
            rows += step.rows
            next = step.next
        }
        #expect(rows == Self.flags.count + 2)
        #expect(fixture.quarantined().isEmpty)
        // The check finds a row key that is not wrapped.
        try store.tamper("UPDATE items SET row_key = x'' WHERE row = 2")
        var findings: [DamageReason] = []
        next = 1
        while let position = next {
            let step = try store.check(from: position)
            findings += step.findings.map(\.reason)
            next = step.next
        }
        #expect(findings == [.rowKey])
    }

    @Test func aRecoveryKeepsThem() throws {
        let identifier = try filled().identifier
        try fixture.garblePage(1)
        let store = try fixture.open()
        #expect(store.identifier == identifier)
        // The rows are first read in the damaged file, then taken over.
        try expectWhole(store)
        expect(.authFailed) { _ = try store.find(query("1", returns: .data)) }
        while try store.continueRecovery() {}
        try expectWhole(store)
        #expect(fixture.finished() == RecoveryCounts(salvaged: Self.flags.count + 1))
    }

    /// Some rows survive in the snapshot alone.
    @Test func whatOnlyASnapshotHasKeepsThem() throws {
        do { _ = try filled().takeSnapshot(.request) }
        let leaves = try fixture.pages(of: "items").dropFirst()
        try fixture.garblePage(try #require(leaves.last))
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        let counts = try #require(fixture.finished())
        #expect(counts.restored > 0 && counts.salvaged + counts.restored == Self.flags.count + 1 && counts.lost == 0)
        try expectWhole(store)
        for index in Self.flags.indices where try Self.constraints(index).constrains(.decrypt) {
            expect(.authFailed) { _ = try store.find(query("\(index)", returns: .data)) }
        }
    }

    /// Half of a page is garbled and there is no snapshot: a row comes back with its constraints or not at all.
    @Test func whatIsSalvagedOfADamagedPageKeepsThem() throws {
        do { _ = try filled() }
        let leaf = try #require(try fixture.pages(of: "items").last)
        let middle = StoreFixture.pageSize / 2
        try fixture.overwrite(
            fixture.database, at: (leaf - 1) * StoreFixture.pageSize + middle,
            with: (0..<middle).map { UInt8($0 % 251) })
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        let all = ItemQuery.password("constrained", returns: .attributes).with { $0.limit = .all }
        let found = try store.find(all)
        #expect(found.count < Self.flags.count + 1)
        for item in found {
            guard case .text(let account)? = item.attributes[.account] else { continue }
            let index = Int(account)
            #expect(item.constraints == (try index.map { try Self.constraints($0) }), "\(account)")
            #expect(try secret(store, account) == (index.map { "secret \($0)" } ?? "plain"))
        }
    }

    @Test func aSnapshotKeepsThem() throws {
        let store = try filled()
        let name = try store.takeSnapshot(.request).name
        try store.delete(ItemQuery.password("constrained"))
        _ = try fixture.restore(name, replacing: store)
        try expectWhole(try fixture.open())
    }

    @Test func newKeysWrapThemAnew() throws {
        let store = try filled()
        let before = try Self.flags.indices.map { try #require(try sealed(store, "\($0)")) }
        keys.replaceKeys()
        while try store.continueResealing() {}
        #expect(store.resealingProgress() == nil && keys.state.withLock { $0.superseded.isEmpty })
        try expectWhole(store)
        for (index, before) in before.enumerated() {
            let now = try #require(try sealed(store, "\(index)"))
            #expect(now.sealed == before.sealed && now.rowKey != before.rowKey && now.classKey == before.classKey + 10)
        }
        #expect(try store.verifyRows().isEmpty && store.losses().isEmpty)
        // The second replacement starts from the seals that the first one wrote.
        keys.replaceKeys()
        while try store.continueResealing() {}
        try expectWhole(store)
    }

    @Test func aCustodianThatCannotWrapAnewHasThemWait() throws {
        let store = try filled()
        keys.state.withLock { $0.wrapsAnew = false }
        keys.replaceKeys()
        while try store.continueResealing() {}
        #expect(store.resealingProgress() != nil)
        #expect(try store.integer("SELECT count(*) FROM items WHERE class_key = 1") == Self.flags.count)
        #expect(keys.state.withLock { $0.destroyed.isEmpty })
        try expectWhole(store)
    }
}
