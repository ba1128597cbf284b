import ChatelaineModel
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Somebody who may write the file adds thousands of rows, and the work and memory for them stay bounded.
@Suite struct FloodTests {
    let fixture = StoreFixture()
    private let everything = ItemQuery(itemClass: .genericPassword).with {
        $0.limit = .all
        $0.returns = .data
    }

    init() throws { try fixture.fill(0..<3) }

    /// Adds rows that a search for the first item finds, and that do not open.
    private func flood(_ count: Int, secret: String = "items.secret") throws {
        let values = ItemColumn.stored.map { column in
            switch column {
            case .uuid: "randomblob(16)"
            case .uniqueDigest: "randomblob(32)"
            case .metadata: "zeroblob(64)"
            case .secret: secret
            default: "items.\(column.name)"
            }
        }
        try fixture.write(
            """
            INSERT INTO items (\(ItemColumn.list(ItemColumn.stored))) \
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT \(count)) \
            SELECT \(values.joined(separator: ", ")) FROM numbers, items WHERE items.row = 1
            """)
    }

    private func plan(of store: ItemStore) -> SearchPlan {
        SearchPlan(
            everything, groups: [StoreFixture.group], digests: store.digests, wantsAttributes: true, wantsSecret: true,
            maximum: .max)
    }

    // MARK: Searches

    @Test func oneSearchKeepsSoManyDamagedRows() throws {
        try flood(700)
        let store = try fixture.open()
        #expect(try store.search(plan(of: store)).damaged.count == SearchPlan.maximumDamaged)
        #expect(try Set(store.find(everything).map(\.password)) == ["0", "1", "2"])
        #expect(fixture.quarantined().count == 700)
        #expect(try store.search(plan(of: store)).damaged.isEmpty)
    }

    @Test func theirBytesAreBoundedToo() throws {
        try flood(20, secret: "zeroblob(1000000)")
        let store = try fixture.open()
        let kept = try store.search(plan(of: store))
        #expect(kept.damaged.count < 20 && kept.damagedBytes < SearchPlan.maximumDamagedBytes + 1_000_100)
        #expect(try Set(store.find(everything).map(\.password)) == ["0", "1", "2"])
        #expect(fixture.quarantined().count == 20)
    }

    /// Such rows are passed over, and no change goes by rows of which it read only some.
    @Test func thoseThatCannotBeMovedHideNoItem() throws {
        try flood(700)
        let store = try fixture.open()
        store.retire()
        #expect(try Set(store.find(everything).map(\.password)) == ["0", "1", "2"])
        #expect(fixture.quarantined().isEmpty)
        expect(.decode) {
            try store.update(ItemQuery(itemClass: .genericPassword), .with { $0.attributes[.label] = .text("new") })
        }
    }

    @Test func aChangeFindsItsItemsBehindThem() throws {
        try flood(700)
        let store = try fixture.open()
        try store.delete(ItemQuery(itemClass: .genericPassword))
        #expect(try store.find(everything).isEmpty)
        #expect(fixture.quarantined().count == 700)
    }

    // MARK: Checks

    @Test func allBucketsAreFoundInOnePass() throws {
        try flood(3000)
        let store = try fixture.open()
        let alterations = try store.verifyRows()
        #expect(alterations.count == RowMultisetHash.bucketCount)
        #expect(alterations.reduce(0) { $0 + $1.leastRows } == 3000)
        #expect(store.engine.rowsVerified.load(ordering: .relaxed) == 3003)
    }

    @Test func singleRowsOfManyBucketsAreNamedInOnePassEach() throws {
        try fixture.fill(3..<400)
        _ = try fixture.open().takeSnapshot(.request)
        try fixture.write("DELETE FROM items WHERE row % 10 = 0")
        let store = try fixture.open()
        let single = try store.verifyRows().filter { $0.expected == $0.found + 1 }
        #expect(single.count > 1)
        for alteration in single {
            #expect(alteration.kind == .removed)
            #expect(alteration.row != nil)
        }
        // The digest of the table, and the snapshot.
        #expect(store.engine.rowsVerified.load(ordering: .relaxed) <= 360 + 400)
    }

    @Test func exchangedRowsOfManyBucketsAreNamed() throws {
        try fixture.fill(3..<100)
        _ = try fixture.open().takeSnapshot(.request)
        // The digests count, so that each of these is another row than the one that was written.
        try fixture.write("UPDATE items SET label = zeroblob(16) WHERE row IN (10, 11)")
        let store = try fixture.open()
        let alterations = try store.verifyRows()
        // Both rows may lie in one bucket.
        if alterations.count == 2 { #expect(alterations.map(\.kind) == [.exchanged, .exchanged]) }
        #expect(store.engine.rowsVerified.load(ordering: .relaxed) <= 3 * 100)
    }

    @Test func aCheckEndsBetweenTwoParts() throws {
        let store = try fixture.open()
        let part = CheckProgress.rowsPerPart
        var progress = CheckProgress(store.engine)
        for _ in 0..<part { try progress.noteRow() }
        store.endChecks()
        for _ in 1..<part { try progress.noteRow() }
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try progress.noteRow() }
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try store.verifyRows() }
        for position: Int64 in [0, 1] {
            #expect(throws: KeychainError(.interactionNotAllowed, "")) { try store.check(from: position) }
        }
    }

    @Test func aConnectionIsInterrupted() throws {
        let store = try fixture.open()
        let interruption = Interruption()
        let count = """
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT 100000) \
            SELECT count(*) FROM numbers
            """
        try store.engine.withOwnConnection { (connection) throws(KeychainError) in
            connection.stop(when: interruption)
            #expect(try ReadConnection.integer(connection.handle, count) == 100_000)
            interruption.set()
            #expect(throws: KeychainError.self) { try ReadConnection.integer(connection.handle, count) }
        }
    }
}

extension ItemChange {
    fileprivate static func with(_ set: (inout ItemChange) -> Void) -> ItemChange {
        var change = ItemChange()
        set(&change)
        return change
    }
}
