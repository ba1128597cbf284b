import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Somebody who may write the files changes rows and lets the store itself take them for its own.
///
/// The ways are a recovery, a snapshot and an acknowledgement.
struct LaunderedRowTests {
    let fixture = StoreFixture()

    private func delete(_ account: Int) throws { try fixture.open().delete(.password("svc", "\(account)")) }

    /// Moves the log into the database, so that its file is complete.
    private func settle() throws { try fixture.write("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Makes the database look damaged while all of its rows are whole.
    private func breakSchema() throws {
        try fixture.write("CREATE TRIGGER one AFTER INSERT ON items BEGIN SELECT 1; END")
        try settle()
    }

    private func causes(_ store: ItemStore) throws -> [LossReport.Cause] { try store.losses().map(\.cause) }

    // MARK: Records of recoveries

    @Test func aRecoveryThatNobodyBegan() throws {
        try fixture.fill(0..<5)
        try settle()
        let planted = fixture.places.quarantine + "/planted"
        try FileManager.default.createDirectory(atPath: fixture.places.quarantine, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: fixture.folder, toPath: planted)
        try delete(2)
        try fixture.write(
            """
            INSERT INTO recoveries (started, base, damaged, is_complete, phase, position, salvaged, restored, set_aside, lost) \
            VALUES (1, 1000, 'planted', 1, 1, 1, 0, 0, 0, 0)
            """)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store).contains(2))
        #expect(try causes(store) == [.history])
        #expect(try causes(fixture.open()) == [.history])
    }

    @Test func aRecoveryThatIsSaidToBeDone() throws {
        try fixture.fill(0..<40)
        try breakSchema()
        #expect(try fixture.open().isRecovering)
        try fixture.write("UPDATE recoveries SET finished = 1")
        let store = try fixture.open()
        #expect(try fixture.accounts(store).isEmpty)
        #expect(try causes(store) == [.history])
    }

    @Test func aRecoveryThatIsSaidToGoOn() throws {
        try fixture.fill(0..<5)
        try breakSchema()
        #expect(try fixture.recovered().losses().isEmpty)
        try delete(2)
        try fixture.write("UPDATE recoveries SET finished = NULL, phase = 1, position = 1")
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store).contains(2))
        #expect(try causes(store) == [.history])
    }

    /// A recovery of unaltered rows raises no alarm, even when the daemon restarts in the middle of it.
    @Test func anHonestRecovery() throws {
        try fixture.fill(0..<40)
        try breakSchema()
        #expect(try fixture.open().isRecovering)
        try fixture.open().add(.password("later", "a", secret: "1"))
        let store = try fixture.recovered()
        #expect(try store.losses().isEmpty)
        #expect(try store.verifyRows().isEmpty)
        #expect(try fixture.open().losses().isEmpty)
    }

    /// Large rows continue on other pages, because of their secrets or their attributes.
    @Test func anHonestRecoveryOfLargeRows() throws {
        do {
            let store = try fixture.open()
            for index in 0..<4 {
                var item = StoreFixture.item(index)
                item.attributes[.comment] = .text(String(repeating: "c", count: index % 2 * 9_000))
                try store.add(item)
                try store.add(.password("large", "\(index)", secret: String(repeating: "long ", count: 5_000)))
            }
            try store.update(.password("svc", "1"), .secret("1"))
        }
        try breakSchema()
        let store = try fixture.recovered()
        #expect(try store.losses().isEmpty)
        #expect(try store.verifyRows().isEmpty)
        #expect(try store.find(.password("svc", "1", returns: .data)).map(\.password) == ["1"])
    }

    /// Nothing is missing if file and snapshot together have everything, even with one row in two versions.
    @Test func anHonestRecoveryWithASnapshot() throws {
        try fixture.fill(0..<40)
        _ = try fixture.open().takeSnapshot(.request)
        try fixture.open().update(.password("svc", "39"), .secret("39"))
        try settle()
        try fixture.garblePage(try #require(try fixture.pages(of: "items").dropFirst(2).first))
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store) == Set(0..<40))
        #expect(try store.losses().isEmpty)
        #expect(try store.verifyRows().isEmpty)
    }

    @Test(arguments: [
        "INSERT INTO brought (uuid) SELECT uuid FROM old.items", "UPDATE recoveries SET phase = 2, position = 1000",
    ]) func aRecoveryThatIsSaidToHaveBroughtRows(_ sql: String) throws {
        try fixture.fill(0..<40)
        let copy = "\(fixture.folder).old.db"
        try fixture.write("VACUUM INTO '\(copy)'")
        try breakSchema()
        #expect(try fixture.open().isRecovering)
        try fixture.write("ATTACH '\(copy)' AS old; \(sql)")
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store).isEmpty)
        #expect(try causes(store) == [.recovery])
        #expect(try store.losses().first?.altered == 1)
    }

    // MARK: What a recovery takes rows from

    @Test(arguments: [
        "DELETE FROM items WHERE row = 3", "UPDATE store SET head = NULL; DELETE FROM items WHERE row = 3",
    ])
    func alteredAndThenDamaged(_ sql: String) throws {
        try fixture.fill(0..<5)
        try fixture.write(sql)
        try breakSchema()
        #expect(try causes(fixture.recovered()) == [.recovery])
        #expect(try causes(fixture.open()) == [.recovery])
    }

    @Test func anOlderRowAndThenDamage() throws {
        try fixture.fill(0..<5)
        let copy = "\(fixture.folder).old.db"
        try fixture.write("VACUUM INTO '\(copy)'")
        try fixture.open().update(.password("svc", "2"), .secret("new"))
        let columns = "row, \(ItemColumn.layout.storedList)"
        try fixture.write(
            "ATTACH '\(copy)' AS old; INSERT OR REPLACE INTO items (\(columns)) SELECT \(columns) FROM old.items WHERE row = 3"
        )
        try breakSchema()
        let report = try #require(try fixture.recovered().losses().first)
        #expect(report.cause == .recovery && report.altered == 1)
    }

    @Test(arguments: [false, true]) func aSnapshotInPlaceOfTheDatabase(isAltered: Bool) throws {
        try fixture.fill(0..<5)
        let snapshot = try fixture.open().takeSnapshot(.request)
        if isAltered {
            try fixture.write(
                "DELETE FROM items WHERE row = 3", to: "\(fixture.places.snapshots)/\(snapshot.name)/items.db")
        }
        for file in [fixture.database, fixture.log] { try? FileManager.default.removeItem(atPath: file) }
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store).count == (isAltered ? 4 : 5))
        #expect(try causes(store) == (isAltered ? [.recovery] : []))
    }

    // MARK: While the store is open

    @Test func anExchangeThatNoChangeMeets() throws {
        try fixture.fill(0..<5)
        let copy = "\(fixture.folder).old.db"
        try fixture.write("VACUUM INTO '\(copy)'")
        try delete(2)
        let store = try fixture.open()
        #expect(try store.verifyRows().isEmpty)
        let columns = "row, \(ItemColumn.layout.storedList)"
        try fixture.write(
            """
            ATTACH '\(copy)' AS old; DELETE FROM items; DELETE FROM store;
            INSERT INTO items (\(columns)) SELECT \(columns) FROM old.items; INSERT INTO store SELECT * FROM old.store;
            """)
        try store.verifyRows()
        #expect(try causes(store) == [.history])
        #expect(try store.check(from: 0).structure.isEmpty)
        #expect(try causes(store) == [.history])
    }

    @Test func anAcknowledgementIsOfWhatIsThereNow() throws {
        try fixture.fill(0..<5)
        try FileManager.default.removeItem(atPath: fixture.mark)
        let store = try fixture.open()
        #expect(try causes(store) == [.history])
        try fixture.write("DELETE FROM items WHERE row = 3")
        #expect(try store.acknowledgeLosses()?.altered == 1)
    }

    // MARK: Numbers

    /// A snapshot or row with a number that leaves no successor would have the store refused from then on.
    @Test func numbersThatNoStoreReaches() throws {
        try fixture.fill(0..<5)
        var snapshot = try fixture.open().takeSnapshot(.request)
        let folder = "\(fixture.places.snapshots)/\(snapshot.name)"
        try fixture.write("UPDATE store SET sequence = 1 << 62", to: folder + "/items.db")
        snapshot.sequence = 1 << 62
        try Data(snapshot.encode()).write(to: URL(fileURLWithPath: folder + "/snapshot"))
        try fixture.write("UPDATE items SET sequence = 1 << 62 WHERE row = 3")
        try breakSchema()
        _ = try fixture.recovered()
        let store = try fixture.open()
        try store.add(StoreFixture.item(5))
        #expect(try store.sequence() < 100)
        #expect(try fixture.accounts(fixture.open()) == Set(0..<6))
    }

    @Test func aRestorationBesideANumberThatNoStoreReaches() throws {
        try fixture.fill(0..<5)
        let store = try fixture.open()
        let snapshot = try store.takeSnapshot(.request)
        try fixture.write("UPDATE store SET sequence = 1 << 62")
        _ = try fixture.restore(snapshot.name, replacing: store)
        let restored = try fixture.open()
        #expect(try restored.sequence() < 100)
        #expect(try restored.losses().isEmpty)
    }
}
