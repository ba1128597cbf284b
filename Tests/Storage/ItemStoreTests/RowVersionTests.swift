import ChatelaineModel
import Foundation
import InProcess
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Damaged files can have rows of several versions: from before a column was added, and of a later version.
@Suite struct RowVersionTests {
    let fixture = StoreFixture()

    /// A layout with one more column than the present one.
    private static let later = RowLayout(
        "items",
        ItemColumn.allCases.map(\.declaration)
            + [RowColumn("later", .blob(2), isOptional: true, since: StoreSchema.version + 1)])

    private static let count = 40

    /// Makes a store without its first page, whose odd rows were written after a column was added.
    private func damaged(withRowsOfBoth isMixed: Bool = true) throws {
        try fixture.fill(0..<Self.count)
        if isMixed {
            try fixture.write(
                "ALTER TABLE items ADD COLUMN later BLOB; UPDATE items SET later = x'0102' WHERE row % 2 = 1")
        }
        try fixture.garblePage(1)
    }

    private func open(_ layout: RowLayout) throws -> ItemStore {
        try ItemStore(
            RowStore(
                folder: fixture.folder, kind: ItemKind(source: fixture.keys), clock: fixture.clock, formerRows: layout,
                log: { [fixture] event in fixture.events.withLock { $0.append(event) } }))
    }

    /// Expects all items to be found before and after the end of the recovery, with nothing lost, altered or set aside.
    private func expectEverything(_ store: ItemStore) throws {
        for account in [0, 7, Self.count - 1] {
            let found = try store.find(.password("svc", "\(account)", returns: .data))
            #expect(found.map(\.password) == ["\(account)"])
        }
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store) == Set(0..<Self.count))
        #expect(try store.losses().isEmpty)
        #expect(try store.verifyRows().isEmpty)
        #expect(try store.integer("SELECT count(*) FROM quarantine") == 0)
    }

    @Test func rowsThatWereWrittenBeforeAColumnWasAdded() throws {
        try damaged()
        try expectEverything(open(Self.later))
    }

    @Test func aStoreOfTodayInALaterBuild() throws {
        try damaged(withRowsOfBoth: false)
        try expectEverything(open(Self.later))
    }

    @Test func aStoreOfTheFirstVersionInALaterBuild() throws {
        try fixture.fill(0..<Self.count)
        try FormerStore.make(fixture.database, version: 1)
        try fixture.garblePage(1)
        let store = try open(Self.later)
        #expect(try store.find(.password("svc", "3", returns: .data)).map(\.password) == ["3"])
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store) == Set(0..<Self.count))
        #expect(try store.integer("SELECT count(*) FROM quarantine") == 0)
    }

    /// A reader that takes a row of a later version for one of today might misread it.
    @Test func rowsOfALaterVersionAreSetAside() throws {
        try damaged()
        let store = try open(ItemColumn.layout)
        while try store.continueRecovery() {}
        // Rows count from 1, accounts from 0.
        #expect(try fixture.accounts(store) == Set(stride(from: 1, to: Self.count, by: 2)))
        let (items, total) = try store.setAsideItems(groups: [StoreFixture.group])
        #expect(total == Self.count / 2 && items.allSatisfy { $0.reason == .columns })
        let report = try #require(try store.losses().first)
        #expect(report.setAside == Self.count / 2 && report.lost == 0)
        #expect(try fixture.setAside().count == 1, "the file with their other columns stays")
        #expect(try store.hasSetAside(.password("svc", "0"), groups: [StoreFixture.group]))
    }

    @Test func theSnapshotHasThemAsTheyWere() throws {
        try fixture.fill(0..<Self.count)
        _ = try fixture.open().takeSnapshot(.request)
        try fixture.write(
            "ALTER TABLE items ADD COLUMN later BLOB; UPDATE items SET later = x'0102' WHERE row % 2 = 1")
        try fixture.garblePage(1)
        let store = try open(ItemColumn.layout)
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store) == Set(0..<Self.count))
        #expect(try store.losses().first?.setAside == Self.count / 2)
    }

    @Test func aStoreOfALaterVersionAloneIsLeftAsItIs() throws {
        try fixture.fill(0..<Self.count)
        try fixture.write("ALTER TABLE items ADD COLUMN later BLOB; UPDATE items SET later = x'0102'")
        try fixture.garblePage(1)
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.database))
        expect(.notAvailable) { _ = try open(ItemColumn.layout) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.database)) == before)
        #expect(try fixture.setAside().isEmpty)
    }

    /// A record is recognized by the serial types in its header.
    @Test func columnsOfARecord() {
        let types = Self.types
        func read(_ types: [UInt8], _ layout: RowLayout = ItemColumn.layout) -> (isRow: Bool, isLater: Bool?) {
            let bytes = [UInt8(types.count + 1)] + types + [UInt8](repeating: 0, count: 300)
            return bytes.withUnsafeBytes { bytes in
                let row = RawRow(bytes, layout)
                return (row != nil, row?.hasUnknownColumns)
            }
        }
        #expect(read(types) == (true, false))
        #expect(read(types, Self.later) == (true, false))
        #expect(read(types + [16], Self.later) == (true, false))
        #expect(read(types + [18], Self.later) == (false, nil), "three bytes where two belong")
        #expect(read(types + [16]) == (true, true))
        #expect(read(types.dropLast()) == (false, nil), "no version had fewer columns")
        for column in types.indices {
            var other = types
            other[column] = 13
            #expect(read(other) == (false, nil), "text in column \(column)")
        }
    }

    /// The serial types of a row with a secret, each one byte long.
    private static let types: [UInt8] = ItemColumn.allCases.map { column in
        switch column.declaration.shape {
        case .rowIdentifier: 0
        case .integer: 1
        case .blob(let count): UInt8(12 + 2 * (count ?? 3))
        }
    }
}
