import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Searches during a recovery read rows in the pages of the damaged file, and write nothing.
struct PendingRowTests {
    static let classes = SearchedItems.classes
    static let count = 24

    let fixture = StoreFixture()

    /// Every seventh item has a row of several pages.
    static func item(_ itemClass: ItemClass, _ index: Int) -> NewItem {
        SearchedItems.item(
            itemClass, index, secret: "\(index)" + String(repeating: ".", count: index % 7 == 6 ? 20_000 : 0))
    }

    /// The number of the row that ``filled()`` gives the item.
    private static func row(_ itemClass: ItemClass, _ index: Int) -> Int {
        index * classes.count + (classes.firstIndex(of: itemClass) ?? 0) + 1
    }

    func filled(_ classes: [ItemClass] = classes) throws -> ItemStore {
        let store = try fixture.open()
        for index in 0..<Self.count {
            for itemClass in classes { try store.add(Self.item(itemClass, index)) }
        }
        return store
    }

    /// Opens a copy of the store without its first page, or with an empty file and everything in its log.
    func damaged(
        inLog: Bool = false, _ damage: (StoreFixture) throws -> Void = { _ in }
    ) throws -> (ItemStore, StoreFixture) {
        let copy = try fixture.crashed()
        if FileManager.default.fileExists(atPath: fixture.places.snapshots) {
            try FileManager.default.copyItem(atPath: fixture.places.snapshots, toPath: copy.places.snapshots)
        }
        if inLog {
            try copy.truncate(copy.database, to: 0)
        } else {
            try copy.write("PRAGMA wal_checkpoint(TRUNCATE)")
            try damage(copy)
            try copy.garblePage(1)
        }
        let store = try copy.open()
        #expect(store.isRecovering && store.engine.hasRowsToBring)
        return (store, copy)
    }

    /// A query for every third item by each digest and by its identifier.
    func queries(_ store: ItemStore, _ classes: [ItemClass] = classes) throws -> [ItemQuery] {
        var queries: [ItemQuery] = []
        for itemClass in classes {
            for index in stride(from: 0, to: Self.count, by: 3) {
                let item = Self.item(itemClass, index)
                guard let identifier = try store.find(item.query).first?.identifier else { continue }
                for (column, keys) in SearchSchema.of(itemClass).columns {
                    var query = ItemQuery(itemClass: itemClass)
                    for key in keys { query.attributes[key] = item.attributes[key] }
                    query.limit = index % 2 == 0 ? .one : .all
                    query.returns = [.data, .attributes]
                    queries.append(query)
                    query.attributes[.comment] = .text("none has it")
                    if column == .label { queries.append(query) }
                }
                var query = ItemQuery(itemClass: itemClass)
                query.identifier = identifier
                query.returns = .data
                queries.append(query)
            }
        }
        return queries
    }

    static func password(_ index: Int, returns: ReturnTypes = .data) -> ItemQuery {
        SearchedItems.query(.genericPassword, index, returns: returns)
    }

    static func labelled(_ label: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.label] = .text(label)
        query.limit = .all
        query.returns = [.data, .attributes]
        return query
    }

    static func answer(_ query: ItemQuery, _ store: ItemStore) throws -> [String] {
        try store.find(query).map { item in
            "\(item.identifier) \(item.password ?? "-") \(item.attributes)"
        }
    }

    struct Content: Equatable {
        let database: Data
        let log: Data
        let sequence: UInt64
        let changes: Int
    }

    /// Everything that a search must leave unchanged.
    static func content(_ copy: StoreFixture, _ store: ItemStore) throws -> Content {
        Content(
            database: try Data(contentsOf: URL(fileURLWithPath: copy.database)),
            log: try Data(contentsOf: URL(fileURLWithPath: copy.log)), sequence: try store.sequence(),
            changes: try store.integer("SELECT total_changes()"))
    }

    static func pending(_ query: ItemQuery, _ store: ItemStore) throws -> [PendingRow] {
        let plan = SearchPlan(
            query, groups: [StoreFixture.group], digests: store.digests, wantsAttributes: false, wantsSecret: false,
            maximum: .max)
        return try #require(try store.pendingRows(of: plan))
    }

    static func missing(_ rows: [PendingRow], _ store: ItemStore) throws -> Int? {
        try store.readers.read { (reader) throws(KeychainError) in try store.engine.missing(rows, in: reader)?.count }
    }

    // MARK: Answers

    @Test(arguments: SearchedItems.Damage.all)
    func answersAreThoseOfBeforeAndNothingIsWritten(_ damage: SearchedItems.Damage) throws {
        let whole = try filled(damage.classes)
        let queries = try queries(whole, damage.classes)
        let (store, copy) = try damaged(inLog: damage.inLog)
        let before = try Self.content(copy, store)
        for query in queries {
            #expect(try Self.answer(query, store) == Self.answer(query, whole))
        }
        #expect(try Self.content(copy, store) == before)
        #expect(try store.integer("SELECT count(*) FROM items") == 0)
        while try store.continueRecovery() {}
        for query in queries { #expect(try Self.answer(query, store) == Self.answer(query, whole)) }
        #expect(try store.losses().isEmpty && store.verifyRows().isEmpty)
    }

    /// No digest finds text in another case, so rows that could match are taken over. Where the query also has data,
    /// the pages are read.
    @Test func textInAnotherCaseIsFoundDuringARecovery() throws {
        let whole = try filled()
        try whole.add(
            .password("Service", "Account", secret: "s").with { $0.attributes[.generic] = .data(Array("DATA".utf8)) })
        let (store, copy) = try damaged()
        let before = try Self.content(copy, store)
        var query = ItemQuery.password("SERVICE", "aCCOUNT", returns: [.data, .attributes])
        query.ignoresCase = true
        query.attributes[.generic] = .data(Array("DATA".utf8))
        #expect(try Self.answer(query, store) == Self.answer(query, whole) && Self.answer(query, whole).count == 1)
        #expect(try Self.content(copy, store) == before)
        query.attributes[.generic] = nil
        #expect(try Self.answer(query, store) == Self.answer(query, whole) && Self.answer(query, whole).count == 1)
        query = Self.labelled("GENERICPASSWORD-2")
        query.ignoresCase = true
        #expect(try Self.answer(query, store).sorted() == Self.answer(query, whole).sorted())
        #expect(try Self.answer(query, whole).count == 3)
    }

    @Test func answersAreTheSameHoweverFarTheRecoveryIs() throws {
        let whole = try filled()
        _ = try whole.takeSnapshot(.request)
        try whole.delete(Self.password(5))
        let (store, _) = try damaged()
        let queries = try queries(whole)
        var steps = 0
        repeat {
            for query in queries { #expect(try Self.answer(query, store) == Self.answer(query, whole)) }
            #expect(try store.find(Self.password(5)).isEmpty)
            steps += 1
        } while try store.continueRecovery()
        #expect(steps > 4)
        #expect(try store.verifyRows().isEmpty)
    }

    @Test func aRowThatIsMoreThanASearchMayHoldIsBrought() throws {
        let secret = String(repeating: "s", count: 2 << 20)
        let whole = try filled()
        try whole.update(Self.password(3), .secret(secret))
        let (store, copy) = try damaged()
        let before = try Self.content(copy, store)
        #expect(try store.find(Self.password(3)).map(\.password) == [secret])
        #expect(try Self.content(copy, store) != before)
        #expect(try store.integer("SELECT count(*) FROM items") == 1)
    }

    /// A decision about a row may need its attributes, which the search has not kept.
    @Test func aRowIsDecidedAboutByItsAttributes() throws {
        _ = try filled()
        let (store, _) = try damaged()
        func find(_ label: Int, _ limit: MatchLimit, _ isMeant: (AttributeValue?) -> Bool) throws -> [FoundItem] {
            var query = Self.labelled("\(ItemClass.genericPassword)-\(label)")
            (query.limit, query.returns) = (limit, .data)
            return try store.find(
                query, groups: [StoreFixture.group],
                authorise: { (row, _) throws(KeychainError) in isMeant(try row.attributes()[.account]) })
        }
        let (seventh, last) = (Self.item(.genericPassword, 7), Self.item(.genericPassword, 11))
        #expect(try find(2, .all) { $0 != seventh.attributes[.account] }.count == 2)
        #expect(try find(3, .one) { $0 == last.attributes[.account] }.map(\.password) == ["11"])
    }

    @Test func aLockedRowIsLocked() throws {
        _ = try filled()
        let (store, copy) = try damaged()
        store.forgetKeys()
        fixture.keys.state.withLock { $0.locked = Set(Accessibility.allCases) }
        let before = try Self.content(copy, store)
        expect(.interactionNotAllowed) { _ = try store.find(Self.password(1)) }
        #expect(try Self.content(copy, store) == before)
        fixture.keys.state.withLock { $0.locked = [] }
        #expect(try store.find(Self.password(1)).count == 1)
    }

    // MARK: Damage

    @Test(arguments: [false, true], SearchedItems.classes)
    func aDamagedRowIsSetAside(isSecret: Bool, _ itemClass: ItemClass) throws {
        let whole = try filled()
        let (third, fourth) = (SearchedItems.query(itemClass, 3), SearchedItems.query(itemClass, 4))
        try whole.tamper(
            "UPDATE items SET \(isSecret ? "secret" : "metadata") = zeroblob(100) WHERE row = \(Self.row(itemClass, 3))"
        )
        let (store, copy) = try damaged()
        #expect(try store.find(third).isEmpty)
        #expect(try store.integer("SELECT count(*) FROM quarantine") == 1)
        #expect(isSecret ? copy.quarantined() == [.secret] : try copy.listed().contains("set-aside"))
        #expect(try store.hasSetAside(third, groups: [StoreFixture.group]) == isSecret)
        #expect(try store.find(fourth).count == 1)
    }

    @Test(arguments: SearchedItems.classes) func aDamagedRowComesFromTheSnapshot(_ itemClass: ItemClass) throws {
        let whole = try filled()
        _ = try whole.takeSnapshot(.request)
        try whole.tamper("UPDATE items SET metadata = zeroblob(100) WHERE row = \(Self.row(itemClass, 3))")
        // No search column in the page leads to this row any more.
        let search = ItemColumn.search.map { "\($0.name) = randomblob(16)" }.joined(separator: ", ")
        try whole.tamper("UPDATE items SET \(search) WHERE row = \(Self.row(itemClass, 4))")
        let (store, copy) = try damaged()
        #expect(try store.find(SearchedItems.query(itemClass, 3)).map(\.password) == ["3"])
        #expect(try store.find(SearchedItems.query(itemClass, 4)).map(\.password) == ["4"])
        #expect(try store.integer("SELECT count(*) FROM quarantine") == 1)
        while try store.continueRecovery() {}
        #expect(try store.find(SearchedItems.query(itemClass, 3)).map(\.password) == ["3"])
        #expect(try store.find(ItemQuery(itemClass: itemClass).with { $0.limit = .all }).count == Self.count)
        #expect(try store.verifyRows().isEmpty)
        #expect(try copy.listed().filter { $0 == "lost" }.isEmpty)
    }

    @Test func aRowOnALostPageComesFromTheSnapshot() throws {
        let whole = try filled()
        let queries = Self.classes.flatMap { itemClass in
            (0..<Self.count).map { SearchedItems.query(itemClass, $0, returns: [.data, .attributes]) }
        }
        let expected = try queries.map { try Self.answer($0, whole) }
        #expect(expected.allSatisfy { $0.count == 1 })
        for isSaved in [false, true] {
            if isSaved { _ = try whole.takeSnapshot(.request) }
            let (store, copy) = try damaged { copy in
                for page in try copy.pages(of: "items").dropFirst(3).prefix(2) { try copy.garblePage(page) }
            }
            var lost = 0
            for (index, query) in queries.enumerated() {
                let answer = try Self.answer(query, store)
                if answer.isEmpty { lost += 1 } else { #expect(answer == expected[index]) }
            }
            #expect(isSaved ? lost == 0 : lost > 0)
            #expect(try (store.integer("SELECT count(*) FROM items") > 0) == isSaved)
            while try store.continueRecovery() {}
            #expect(try copy.listed().filter { $0 == "lost" }.isEmpty == isSaved)
        }
    }

    /// A garbled log leaves old pages beside new ones.
    @Test(arguments: [false, true]) func ofARowInSeveralVersionsTheNewestCounts(isOlderFirst: Bool) throws {
        let whole = try filled()
        let size = StoreFixture.pageSize
        let older = try fixture.crashed()
        try older.write("PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Data(contentsOf: URL(fileURLWithPath: older.database))
        try whole.update(Self.password(4), .label("newer"))
        let (store, _) = try damaged { copy in
            let pages = try copy.pages(of: "items")
            let now = try Data(contentsOf: URL(fileURLWithPath: copy.database))
            let page = try #require(
                pages.first { number in
                    let range = (number - 1) * size..<number * size
                    return range.upperBound <= before.count && before[range].first == 0x0D
                        && before[range] != now[range]
                })
            let range = (page - 1) * size..<page * size
            try copy.overwrite(copy.database, at: now.count, with: [UInt8](isOlderFirst ? now[range] : before[range]))
            if isOlderFirst { try copy.overwrite(copy.database, at: range.lowerBound, with: [UInt8](before[range])) }
        }
        let label = "\(ItemClass.genericPassword)-1"
        #expect(try store.find(Self.labelled(label)).count == 2)
        #expect(try store.find(Self.labelled("newer")).count == 1)
        #expect(
            try store.find(Self.password(4, returns: .attributes)).map { $0.attributes[.label] } == [.text("newer")])
        while try store.continueRecovery() {}
        #expect(try store.find(Self.labelled(label)).count == 2)
        #expect(try store.find(Self.labelled("newer")).count == 1)
    }

    // MARK: Without an index

    @Test func withoutAnIndexTheyAreBrought() throws {
        let whole = try filled()
        let (store, copy) = try damaged()
        let recovery = try #require(store.engine.recovery)
        recovery.state.withLock { $0.index = nil }
        let before = try Self.content(copy, store)
        #expect(try Self.answer(Self.password(8), store) == Self.answer(Self.password(8), whole))
        #expect(try Self.content(copy, store) != before)
        // The first look-up made an index.
        let after = try Self.content(copy, store)
        #expect(try Self.answer(Self.password(9), store) == Self.answer(Self.password(9), whole))
        #expect(try Self.content(copy, store) == after)
        recovery.state.withLock { $0.index = recovery.source?.index(from: 1, limit: 10) }
        #expect(try Self.answer(Self.password(10), store) == Self.answer(Self.password(10), whole))
        #expect(try Self.content(copy, store) != after)
    }
}
