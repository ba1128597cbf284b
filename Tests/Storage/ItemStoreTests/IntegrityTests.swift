import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Somebody who may write the files and has no key puts back former rows and whole stores, and the store notices.
struct IntegrityTests {
    let fixture = StoreFixture()

    /// Copies the present database into one file, for later.
    private func keepCopy(_ name: String = "old") throws -> String {
        let path = "\(fixture.folder).\(name).db"
        try fixture.write("VACUUM INTO '\(path)'")
        return path
    }

    private static let columns = "row, \(ItemColumn.layout.storedList)"

    private func putBack(_ where: String, from copy: String) throws {
        try fixture.write(
            """
            ATTACH '\(copy)' AS old;
            INSERT OR REPLACE INTO items (\(Self.columns)) SELECT \(Self.columns) FROM old.items WHERE \(`where`);
            """)
    }

    private func change(_ account: Int, to secret: String) throws {
        try fixture.open().update(.password("svc", "\(account)"), .with { $0.secret = SecretBytes(secret.utf8) })
    }

    private func secret(_ store: ItemStore, _ account: Int) throws -> String? {
        try store.find(.password("svc", "\(account)", returns: .data)).first?.password
    }

    /// Expects the alterations that a verification of the rows finds, and the same report in every opening until it is
    /// acknowledged.
    private func expectAltered(_ expected: [RowAlteration.Kind?], _ rows: Int = 1) throws {
        #expect(try fixture.open().verifyRows().map(\.kind) == expected)
        let store = try fixture.open()
        let losses = try store.losses()
        #expect(losses.map(\.cause) == [.alteration] && losses.first?.altered == rows && losses.first?.changes == 0)
        #expect(try fixture.listed().contains("rows-altered"))
        #expect(try store.acknowledgeLosses() != nil)
        // From now on the present rows count.
        #expect(try store.verifyRows().isEmpty)
        #expect(try fixture.open().losses().isEmpty)
        #expect(try fixture.open().verifyRows().isEmpty)
    }

    // MARK: Rows

    @Test(arguments: [false, true]) func anOlderRow(hasSnapshot: Bool) throws {
        try fixture.fill(0..<5)
        let copy = try keepCopy()
        try change(2, to: "new")
        if hasSnapshot { _ = try fixture.open().takeSnapshot(.request) }
        try putBack("row = 3", from: copy)
        // The former row itself is valid, so it opens.
        #expect(try secret(try fixture.open(), 2) == "2")
        try expectAltered([hasSnapshot ? .exchanged : nil])
    }

    @Test(arguments: [false, true]) func aRowTakenAway(hasSnapshot: Bool) throws {
        try fixture.fill(0..<5)
        if hasSnapshot { _ = try fixture.open().takeSnapshot(.request) }
        try fixture.write("DELETE FROM items WHERE row = 3")
        try expectAltered([hasSnapshot ? .removed : nil])
    }

    @Test func aDeletedRowRevived() throws {
        try fixture.fill(0..<5)
        let copy = try keepCopy()
        try fixture.open().delete(.password("svc", "2"))
        try putBack("row = 3", from: copy)
        let revived = try #require(try fixture.open().find(.password("svc", "2", returns: .attributes)).first)
        let alterations = try fixture.open().verifyRows()
        #expect(alterations.map(\.kind) == [.added])
        #expect(alterations.first?.row == revived.identifier.bytes)
        try expectAltered([.added])
    }

    @Test func severalRows() throws {
        try fixture.fill(0..<40)
        try fixture.write("DELETE FROM items WHERE row % 2 = 0")
        let alterations = try fixture.open().verifyRows()
        #expect(alterations.reduce(0) { $0 + $1.leastRows } == 20)
        #expect(try fixture.open().losses().first?.altered == 20)
    }

    @Test func digestsOfARowAreRowsToo() throws {
        try fixture.fill(0..<5)
        try fixture.write("UPDATE items SET label = pair WHERE row = 3")
        #expect(try fixture.open().verifyRows().count == 1)
        // A check writes the right digests, and the rows are again those that were written last.
        let store = try fixture.open()
        var position: Int64? = 0
        while let next = position { position = try store.check(from: next).next }
        #expect(try store.verifyRows().isEmpty)
    }

    /// An accepted or acknowledged row counts with the digests that it had. With other digests it is another row.
    @Test func digestsThatAreMendedLater() throws {
        try fixture.fill(0..<5)
        try fixture.write("UPDATE items SET label = pair WHERE row = 3")
        try expectAltered([nil])
        let store = try fixture.open()
        var position: Int64? = 0
        while let next = position { position = try store.check(from: next).next }
        #expect(try store.verifyRows().isEmpty)
        #expect(try store.losses().isEmpty)
    }

    @Test func whatIsPutBackWhileTheStoreIsOpen() throws {
        try fixture.fill(0..<5)
        let copy = try keepCopy()
        try change(2, to: "new")
        let store = try fixture.open()
        #expect(!store.wasWrittenFromOutside())
        try store.add(.password("before"))
        #expect(!store.wasWrittenFromOutside())
        try putBack("row = 3", from: copy)
        #expect(store.wasWrittenFromOutside())
        try store.add(.password("after"))
        #expect(!store.wasWrittenFromOutside())
        #expect(try store.verifyRows().count == 1)
        #expect(try store.losses().map(\.cause) == [.alteration])
    }

    // MARK: Stores

    @Test func yesterdaysStore() throws {
        try fixture.fill(0..<5)
        let copy = try fixture.copied(suffix: "-yesterday")
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        try change(2, to: "new")
        try fixture.open().delete(.password("svc", "3"))
        try FileManager.default.removeItem(atPath: fixture.folder)
        try FileManager.default.moveItem(atPath: copy.folder, toPath: fixture.folder)
        let store = try fixture.open()
        #expect(try secret(store, 2) == "2")
        let report = try #require(try store.losses().first)
        #expect(report.cause == .markAhead && report.changes == 2 && report.since == 5)
        #expect(try store.sequence() == 8)
        // The store begins a new history, so that today's store is noticed when it comes back.
        #expect(try store.verifyRows().isEmpty)
    }

    /// Changes that were acknowledged as lost must not come back unnoticed.
    @Test func aStoreOfAnotherHistory() throws {
        try fixture.fill(0..<3)
        let old = try fixture.copied(suffix: "-old")
        defer { try? FileManager.default.removeItem(atPath: old.folder) }
        for index in 3..<40 { try fixture.open().add(StoreFixture.item(index)) }
        let later = try fixture.copied(suffix: "-later")
        defer { try? FileManager.default.removeItem(atPath: later.folder) }
        // Data and state are replaced together, which is not noticed.
        try FileManager.default.removeItem(atPath: fixture.folder)
        try FileManager.default.moveItem(atPath: old.folder, toPath: fixture.folder)
        try FileManager.default.removeItem(atPath: fixture.mark)
        try FileManager.default.moveItem(atPath: old.mark, toPath: fixture.mark)
        fixture.events.withLock { $0 = [] }
        #expect(try fixture.open().losses().isEmpty)
        _ = try fixture.open().takeSnapshot(.request)
        let name = try #require(try fixture.snapshots.list().first?.name)
        _ = try fixture.restore(name, replacing: nil)
        #expect(try fixture.open().losses().isEmpty)
        // The number is higher, but the history is another.
        try FileManager.default.removeItem(atPath: fixture.folder)
        try FileManager.default.moveItem(atPath: later.folder, toPath: fixture.folder)
        let store = try fixture.open()
        #expect(try store.losses().map(\.cause) == [.history])
        #expect(try fixture.listed().contains("other-history"))
    }

    @Test func anExchangeWhileTheStoreIsOpen() throws {
        try fixture.fill(0..<5)
        let copy = try keepCopy()
        try change(2, to: "new")
        let store = try fixture.open()
        try fixture.write(
            """
            ATTACH '\(copy)' AS old; DELETE FROM items; DELETE FROM store;
            INSERT INTO items (\(Self.columns)) SELECT \(Self.columns) FROM old.items;
            INSERT INTO store SELECT * FROM old.store;
            """)
        try store.add(.password("after", "a", secret: "1"))
        #expect(fixture.events.withLock { $0.contains { if case .exchanged = $0 { true } else { false } } })
        let report = try #require(try store.losses().first)
        #expect(report.cause == .history && report.changes == nil && report.since == 5)
        // Numbers are never given out twice. The store goes on with the rows that it has.
        #expect(try store.sequence() == 7)
        #expect(try store.verifyRows().isEmpty)
        #expect(try secret(store, 2) == "2")
    }

    // MARK: What watches over it

    enum Removal: CaseIterable { case mark, head, strangeHead, headNumber, keybag }

    @Test(arguments: Removal.allCases) func whatIsMissingIsMissed(_ removal: Removal) throws {
        try fixture.fill(0..<5)
        switch removal {
        case .mark: try FileManager.default.removeItem(atPath: fixture.mark)
        case .head: try fixture.write("UPDATE store SET head = NULL")
        case .strangeHead: try fixture.write("UPDATE store SET head = zeroblob(2372)")
        case .headNumber: try fixture.write("UPDATE store SET sequence = 1 << 61")
        case .keybag: fixture.keys.state.withLock { $0.keybagGeneration = 0 }
        }
        let store = try fixture.open()
        #expect(try store.losses().map(\.cause) == [.history])
        #expect(try store.sequence() == 6)
        #expect(try fixture.accounts(store) == Set(0..<5))
        try store.add(StoreFixture.item(5))
        #expect(try fixture.open().losses().count == 1)
        #expect(try fixture.open().verifyRows().isEmpty)
    }

    @Test func aMarkThatIsBehindIsNoAlarm() throws {
        try fixture.fill(0..<3)
        let mark = try Data(contentsOf: URL(fileURLWithPath: fixture.mark))
        for index in 3..<6 { try fixture.open().add(StoreFixture.item(index)) }
        try fixture.overwrite(fixture.mark, at: 0, with: Array(mark))
        fixture.events.withLock { $0 = [] }
        #expect(try fixture.open().losses().isEmpty)
        #expect(fixture.events.withLock { $0.isEmpty })
        #expect(try fixture.marked() == 6)
    }

    @Test func oneTornSlotIsNoAlarm() throws {
        try fixture.fill(0..<3)
        for slot in 0..<HighWaterMark.slotCount {
            let mark = try Data(contentsOf: URL(fileURLWithPath: fixture.mark))
            try fixture.overwrite(
                fixture.mark, at: slot * HighWaterMark.slotByteCount,
                with: [UInt8](repeating: 0x5A, count: HighWaterMark.slotByteCount))
            fixture.events.withLock { $0 = [] }
            #expect(try fixture.open().losses().isEmpty)
            #expect(fixture.events.withLock { $0.isEmpty })
            try fixture.overwrite(fixture.mark, at: 0, with: Array(mark))
        }
    }

    @Test func anIntactStoreIsNeverRefusedForItsMark() throws {
        let identifier = try fixture.fill(0..<3)
        // The unauthenticated mark of the earlier formats, at the highest numbers.
        try FileManager.default.removeItem(atPath: fixture.mark)
        fixture.keys.state.withLock { $0.isMarked = false }
        for sequence in [UInt64(1) << 62, 1 << 49, .max] {
            let number = withUnsafeBytes(of: sequence.littleEndian) { Array($0) }
            try Data(Array("chtlmrk".utf8) + [1] + identifier.bytes + number).write(
                to: URL(fileURLWithPath: fixture.folder + "/mark"))
            chmod(fixture.folder + "/mark", 0o600)
            for _ in 0..<2 {
                let store = try fixture.open()
                try store.add(
                    .password("svc", nil, secret: "x").with { $0.attributes[.account] = .text("\(sequence)-\(UUID())") }
                )
                #expect(try store.sequence() < 100)
            }
            try FileManager.default.removeItem(atPath: fixture.mark)
            fixture.keys.state.withLock { $0.isMarked = false }
        }
    }

    // MARK: No false alarm

    @Test func everyKindOfChange() throws {
        let store = try fixture.open()
        for index in 0..<30 {
            try store.add(
                .password("svc", "\(index)", secret: index % 3 == 0 ? nil : "\(index)").with {
                    $0.isSynchronizable = index % 2 == 0
                    $0.attributes[.label] = .text("label \(index)")
                })
        }
        for index in stride(from: 0, to: 30, by: 2) {
            let query = ItemQuery.password("svc", "\(index)").with { $0.synchronizable = .any }
            switch index % 5 {
            case 0: try store.update(query, .with { $0.secret = SecretBytes("changed".utf8) })
            case 1: try store.update(query, .with { $0.attributes[.label] = .text("another") })
            case 2: try store.update(query, .with { $0.accessGroup = "other.group" })
            case 3: try store.update(query, .with { $0.accessibility = .afterFirstUnlock })
            default: try store.delete(query)
            }
        }
        // Adds an item with the unique attributes of a tombstone.
        try store.add(
            .password("svc", "4", secret: "again").with { $0.isSynchronizable = true })
        try store.delete(.password("svc", "4").with { $0.synchronizable = .any })
        try store.delete(.password("svc").with { $0.synchronizable = .any })
        try store.maintain()
        #expect(try store.verifyRows().isEmpty)
        #expect(try fixture.open().verifyRows().isEmpty)
        #expect(try fixture.open().losses().isEmpty)
    }

    @Test func aRestoredSnapshotAndARecovery() throws {
        try fixture.fill(0..<5)
        let snapshot = try fixture.open().takeSnapshot(.request)
        try change(2, to: "new")
        _ = try fixture.restore(snapshot.name, replacing: nil)
        #expect(try fixture.open().verifyRows().isEmpty)
        #expect(try fixture.open().losses().isEmpty)
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try store.verifyRows().isEmpty)
        #expect(try fixture.open().losses().isEmpty)
    }

    @Test func aSnapshotThatWasAltered() throws {
        try fixture.fill(0..<5)
        let snapshot = try fixture.open().takeSnapshot(.request)
        try fixture.write(
            "DELETE FROM items WHERE row = 3",
            to: "\(fixture.places.snapshots)/\(snapshot.name)/items.db")
        _ = try fixture.restore(snapshot.name, replacing: nil)
        let losses = try fixture.open().losses()
        #expect(losses.map(\.cause) == [.alteration] && losses.first?.altered == 1)
    }
}

extension ItemChange {
    fileprivate static func with(_ set: (inout ItemChange) -> Void) -> ItemChange {
        var change = ItemChange()
        set(&change)
        return change
    }
}
