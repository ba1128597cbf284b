import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Look-ups during a recovery work with an index of the damaged file and without one.
struct RecoveryIndexTests {
    enum Index: CaseIterable {
        /// The index made when the store is opened.
        case made
        /// The index made by the first look-up after a restart.
        case late
        /// No index, since there are more rows than it may have. Each look-up passes over the file.
        case none
    }

    private static let count = 24

    let fixture = StoreFixture()

    private static func item(_ itemClass: ItemClass, _ index: Int) -> NewItem {
        SearchedItems.item(itemClass, index, secret: "\(index)")
    }

    /// A store of items of all classes whose file lacks its first page, or is empty with everything in the log.
    private func damaged(
        _ damage: SearchedItems.Damage = SearchedItems.Damage.all[0]
    ) throws -> (StoreFixture, identifiers: [ItemClass: [ItemIdentifier]]) {
        let store = try fixture.open()
        var identifiers: [ItemClass: [ItemIdentifier]] = [:]
        for index in 0..<Self.count {
            for itemClass in damage.classes {
                identifiers[itemClass, default: []].append(try store.add(Self.item(itemClass, index)).identifier)
            }
        }
        let copy = try fixture.crashed()
        if damage.inLog {
            try copy.truncate(copy.database, to: 0)
        } else {
            try copy.write("PRAGMA wal_checkpoint(TRUNCATE)")
            try copy.garblePage(1)
        }
        return (copy, identifiers)
    }

    private func open(_ copy: StoreFixture, _ index: Index) throws -> ItemStore {
        let store = try copy.open()
        let recovery = try #require(store.engine.recovery)
        let source = try #require(recovery.source)
        recovery.state.withLock { state in
            #expect(state.index?.isComplete == true)
            switch index {
            case .made: break
            case .late: state.index = nil
            case .none: state.index = source.index(from: 1, limit: 10)
            }
        }
        return store
    }

    @Test(arguments: Index.allCases, SearchedItems.Damage.all)
    func everySearchOfEveryClass(_ index: Index, _ damage: SearchedItems.Damage) throws {
        let (copy, identifiers) = try damaged(damage)
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        let store = try open(copy, index)
        for (place, itemClass) in damage.classes.enumerated() {
            let own = try #require(identifiers[itemClass])
            for (column, keys) in SearchSchema.of(itemClass).columns {
                // Each column looks for another item, so that no earlier search has taken it over.
                let wanted = (column.rawValue * 4 + place) % Self.count
                var query = ItemQuery(itemClass: itemClass)
                let item = Self.item(itemClass, wanted)
                for key in keys { query.attributes[key] = item.attributes[key] }
                query.limit = .all
                let alike = column == .label ? Set(own[wanted / 3 * 3..<wanted / 3 * 3 + 3]) : [own[wanted]]
                #expect(Set(try store.find(query).map(\.identifier)) == alike)
                #expect(Set(try store.find(query).map(\.identifier)) == alike)
                for key in keys { query.attributes[key] = SearchedItems.value("nowhere", of: key, itemClass) }
                #expect(try store.find(query).isEmpty)
            }
            var query = ItemQuery(itemClass: itemClass)
            query.identifier = own[21]
            #expect(try store.find(query).map(\.identifier) == [own[21]])
            expect(.duplicateItem) { try store.add(Self.item(itemClass, 22)) }
        }
        #expect(store.isRecovering)
        #expect(try store.statistics().recoveryPercent == 0)
        while try store.continueRecovery() {}
        for itemClass in damage.classes {
            let all = try store.find(ItemQuery(itemClass: itemClass).with { $0.limit = .all })
            #expect(Set(all.map(\.identifier)) == Set(identifiers[itemClass] ?? []))
        }
        #expect(try store.losses().isEmpty)
        #expect(try store.verifyRows().isEmpty)
    }

    @Test(arguments: Index.allCases, SearchedItems.classes)
    func everythingOfAClass(_ index: Index, _ itemClass: ItemClass) throws {
        let (copy, identifiers) = try damaged()
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        let store = try open(copy, index)
        let all = try store.find(
            ItemQuery(itemClass: itemClass).with { ($0.limit, $0.returns) = (.all, [.data, .attributes]) })
        #expect(Set(all.map(\.identifier)) == Set(identifiers[itemClass] ?? []))
        #expect(Set(all.compactMap(\.password)) == Set((0..<Self.count).map(String.init)))
        #expect(store.isRecovering)
    }

    /// A row that was changed, deleted or taken over does not come again, wherever the index leads.
    @Test(arguments: Index.allCases) func whatWasBroughtIsNotBroughtAgain(_ index: Index) throws {
        let (copy, identifiers) = try damaged()
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        let own = try #require(identifiers[.genericPassword])
        do {
            let store = try open(copy, index)
            try store.delete(Self.item(.genericPassword, 3).query)
            try store.update(Self.item(.genericPassword, 4).query, .label("other"))
        }
        let store = try open(again: copy, index)
        #expect(try store.find(Self.byIdentifier(own[3])).isEmpty)
        let changed = ItemQuery(itemClass: .genericPassword).with { $0.attributes[.label] = .text("other") }
        #expect(try store.find(changed).map(\.identifier) == [own[4]])
        #expect(try store.find(Self.byIdentifier(own[5])).count == 1)
        while try store.continueRecovery() {}
        let all = try store.find(ItemQuery(itemClass: .genericPassword).with { $0.limit = .all })
        #expect(Set(all.map(\.identifier)) == Set(own).subtracting([own[3]]))
        #expect(try store.find(changed).map(\.identifier) == [own[4]])
        #expect(try store.losses().isEmpty)
    }

    private static func byIdentifier(_ identifier: ItemIdentifier) -> ItemQuery {
        ItemQuery(itemClass: .genericPassword).with { $0.identifier = identifier }
    }

    /// Opens the store as after a restart of the daemon, when only the first look-up makes an index.
    private func open(again copy: StoreFixture, _ index: Index) throws -> ItemStore {
        let store = try copy.open()
        let recovery = try #require(store.engine.recovery)
        recovery.state.withLock { state in
            #expect(state.index == nil)
            if index == .none { state.index = recovery.source?.index(from: 1, limit: 10) }
        }
        return store
    }

    @Test func aLookUpReadsFewPages() throws {
        let (copy, identifiers) = try damaged()
        defer { try? FileManager.default.removeItem(atPath: copy.folder) }
        let store = try open(copy, .made)
        let recovery = try #require(store.engine.recovery)
        let source = try #require(recovery.source)
        var read = 0
        for identifier in identifiers.values.joined() {
            let wanted = DamagedDatabase.Wanted(values: [identifier.bytes])
            let pages = recovery.pages(of: wanted, from: 1, usingIndex: true)
            read += pages.reduce(0) { $0 + $1.count }
            var rows = 0
            source.forEachBatch(in: pages, wanted: wanted) {
                rows += $0.count
                return true
            }
            #expect(rows == 1)
        }
        // The search reads the item's own page.
        //
        // Rarely it reads another whose value has the same 32 bits, or the pages of a chain.
        #expect(read <= identifiers.values.joined().count + 3 && source.pageCount > 20)
        #expect(
            recovery.pages(of: .init(values: [[1]]), from: 1, usingIndex: true).map(\.count) == [Int(source.pageCount)])
        #expect(recovery.pages(of: .init(values: [[1]]), from: source.pageCount + 1, usingIndex: true).isEmpty)
    }
}
