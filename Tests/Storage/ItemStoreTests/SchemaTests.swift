import ChatelaineModel
import Foundation
import GRDB
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Somebody may write other things into the database than rows: SQL programs and settings.
@Suite struct SchemaTests {
    let fixture = StoreFixture()

    private static let programs = [
        "CREATE TRIGGER quiet BEFORE INSERT ON items BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER stale AFTER UPDATE ON items BEGIN UPDATE items SET version = OLD.version, metadata = OLD.metadata, "
            + "secret = OLD.secret, row_key = OLD.row_key WHERE row = OLD.row; END",
        """
        CREATE TRIGGER endless AFTER UPDATE ON store BEGIN
            INSERT INTO losses (hour, marked, found)
            WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT x, x, x FROM n;
        END
        """,
        "CREATE VIEW more AS SELECT * FROM items",
        "CREATE VIRTUAL TABLE other USING fts5(words)",
        "CREATE TABLE other (a)",
        "CREATE INDEX other ON items (version)",
        "ALTER TABLE items ADD COLUMN other INTEGER AS (abs(-9223372036854775808))",
        "DROP INDEX items_pair; CREATE INDEX items_pair ON items (pair) WHERE pair IS NOT NULL AND version > 1",
        "DROP INDEX items_label",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (id = 1)', 'CHECK (sequence < 9)') "
            + "WHERE name = 'store'; PRAGMA schema_version = 1000",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'pair BLOB', 'pair BLOB DEFAULT x''00''') "
            + "WHERE name = 'items'; PRAGMA schema_version = 1000",
        "PRAGMA user_version = 1", "PRAGMA user_version = 77", "PRAGMA application_id = 7", "ANALYZE",
        "DELETE FROM grdb_migrations", "INSERT INTO grdb_migrations VALUES ('77')",
    ]

    /// A table for one statement costs more than the statement.
    @Test func noStatementOfAChangeMakesATable() throws {
        let store = try fixture.open()
        let changing: [EngineStatement] = [
            .insert, .deleteRow, .sequence, .head, .setHead, .request, .recordRequest, .termByIdentifier, .termByRow,
            .stampByIdentifier, .stampByUnique,
        ]
        for sql in changing.map({ $0.sql(for: ItemColumn.layout) }) + ItemStatement.allCases.map(\.sql) {
            let steps = try store.writer.withConnection { (handle) throws(KeychainError) in
                let explanation = try PreparedStatement(handle, "EXPLAIN \(sql)")
                var steps: [String] = []
                while try explanation.step() { steps.append(explanation.text(1)) }
                return steps
            }
            #expect(!steps.isEmpty && !steps.contains("OpenEphemeral") && !steps.contains("SorterOpen"), "\(sql)")
        }
    }

    private func expectItAllWorks(_ store: ItemStore) throws {
        try store.add(.password("svc", "new", secret: "new"))
        try store.update(.password("svc", "0"), .secret("changed"))
        try store.delete(.password("svc", "1"))
        #expect(try store.find(.password("svc", "new", returns: .data)).first?.password == "new")
        #expect(try store.find(.password("svc", "0", returns: .data)).first?.password == "changed")
        #expect(try store.find(.password("svc", "1")).isEmpty)
        #expect(try store.find(.password("svc", "2", returns: .data)).first?.password == "2")
    }

    @Test(arguments: programs)
    func beforeItIsOpened(_ sql: String) throws {
        try fixture.fill(0..<5)
        try fixture.write(sql)
        let store = try fixture.recovered()
        try expectItAllWorks(store)
        #expect(fixture.finished()?.lost == 0)
        #expect(try fixture.setAside().count == 1, "what somebody wrote is kept aside")
        #expect(try store.check(from: 0).structure.isEmpty)
    }

    @Test(arguments: programs)
    func whileItIsOpen(_ sql: String) throws {
        try fixture.fill(0..<5)
        let first = try fixture.open()
        #expect(try first.find(.password("svc", "0")).count == 1)
        try fixture.write(sql)
        expect(.notAvailable) { try first.add(.password("svc", "x", secret: "x")) }
        expect(.notAvailable) { try first.update(.password("svc", "0"), .secret("x")) }
        #expect(first.isDamaged && first.needsReopening)
        first.retire()
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        try expectItAllWorks(store)
        #expect(fixture.finished()?.lost == 0)
    }

    @Test func aReaderNoticesToo() throws {
        try fixture.fill(0..<5)
        let store = try fixture.open()
        try fixture.write(
            "DROP INDEX items_pair; CREATE INDEX items_pair ON items (pair) WHERE pair IS NOT NULL AND version > 1")
        expect(.notAvailable) { _ = try store.find(.password("svc", "0")) }
        #expect(store.isDamaged)
    }

    @Test func aSnapshotWithAProgramIsOfNoUse() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "0", secret: "0"))
        let name = try store.takeSnapshot(.request).name
        let path = fixture.places.snapshots + "/" + name + "/items.db"
        try fixture.write("CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM items; END", to: path)
        expect(.notAvailable) { _ = try fixture.restore(name, replacing: store) }
    }

    @Test func everyVersionChangesTheText() throws {
        var seen: [Int64] = []
        for version in 1...StoreSchema.version {
            let database = try DatabaseQueue()
            try StoreSchema.migrator.migrate(database, upTo: "\(version)")
            try database.unsafeRead {
                seen += [try StoreSchema.items.version(of: try #require($0.sqliteConnection)) ?? 0]
            }
        }
        #expect(seen == Array(1...StoreSchema.version), "else an older version takes a newer store for a damaged one")
    }

    /// The schema text of GRDB's own table may change with GRDB. Ours change only with a migration.
    @Test func aFreshStoreIsWhatItShouldBe() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "0", secret: "0"))
        let connection = try ReadConnection(reading: fixture.database)
        try StoreSchema.items.verify(connection.handle)
    }
}
