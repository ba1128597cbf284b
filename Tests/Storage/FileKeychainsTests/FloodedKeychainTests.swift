import ChatelaineModel
import Testing

@testable import FileKeychains
@testable import ItemStore
@testable import StoreEngine

/// Somebody adds rows to the file of a locked keychain; a search there keeps none of them, and ends.
@Suite struct FloodedKeychainTests {
    private let fixture: KeychainFixture
    private let query = ItemQuery(itemClass: .genericPassword)

    init() throws {
        fixture = try KeychainFixture()
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
    }

    /// Adds rows that a search for the first item finds, and that are no items.
    private func flood(_ count: Int, sync: String = "items.sync") throws {
        let values = ItemColumn.stored.map { column in
            switch column {
            case .uuid: "randomblob(16)"
            case .uniqueDigest: "randomblob(32)"
            case .metadata: "zeroblob(64)"
            case .sync: sync
            default: "items.\(column.name)"
            }
        }
        try fixture.write(
            """
            INSERT INTO items (\(ItemColumn.list(ItemColumn.stored))) \
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT \(count)) \
            SELECT \(values.joined(separator: ", ")) FROM numbers, items WHERE items.row = 1
            """, to: "work")
    }

    private func items(maximumRows: Int = UnverifiedItems.maximumRows) throws -> UnverifiedItems {
        try UnverifiedItems(fixture.path("work"), hasLog: false, maximumRows: maximumRows)
    }

    private func find(in items: UnverifiedItems, byteLimit: Int = .max) throws -> [FoundItem] {
        var query = query
        query.limit = .all
        return try items.find(
            query, group: FileKeychain.group, index: fixture.custodian.index([]), byteLimit: byteLimit)
    }

    @Test func damagedRowsAreNotKept() throws {
        try flood(3000)
        let items = try items()
        var plan = SearchPlan(
            query, groups: [FileKeychain.group], digests: StoreDigests(fixture.custodian.index([])),
            wantsAttributes: true, wantsSecret: false, maximum: .max)
        plan.isUnverified = true
        let outcome = try items.pass(plan)
        #expect(outcome.damaged.isEmpty && outcome.rows.count == 1)
        #expect(items.rowsVisited == 3001)
        #expect(try fixture.keychain("work").accountsUnverified("svc", fixture.custodian) == ["anna"])
    }

    @Test func aSearchLooksAtSoManyRows() throws {
        try flood(3000)
        #expect(try find(in: items(maximumRows: 3001)).count == 1)
        let few = try items(maximumRows: 1000)
        #expect(throws: KeychainError(.invalidKeychain, "")) { try find(in: few) }
        #expect(few.rowsVisited == 1001)
        // All searches of a request count together.
        #expect(throws: KeychainError(.invalidKeychain, "")) { try find(in: few) }
        #expect(few.rowsVisited == 1002)
    }

    /// SQLite passes over such rows by itself.
    @Test func rowsThatNoSearchSeesAreBoundedToo() throws {
        try flood(3000, sync: "7")
        #expect(try find(in: items()).count == 1)
        let few = try items(maximumRows: 100)
        #expect(throws: KeychainError(.invalidKeychain, "")) { try find(in: few) }
        #expect(few.rowsVisited <= 1)
    }

    /// An item's access object may be large, and is kept until the search is done.
    @Test func whatIsFoundCountsWithAllItsBytes() throws {
        let keychain = fixture.keychain("work")
        try fixture.unlock(keychain)
        for account in ["bert", "carl"] { try keychain.add("svc", account, "1") }
        try fixture.lock(keychain)
        #expect(try find(in: items()).count == 3)
        #expect(throws: KeychainError(.dataTooLarge, "")) { try find(in: items(), byteLimit: 10) }
    }
}
