import ChatelaineModel
import GRDB
import GRDBSQLite
import Testing

@testable import ItemStore
@testable import StoreEngine

/// The single declaration of the columns of items agrees with the migrations and with the statements.
@Suite struct ItemColumnTests {
    private static let versions = 1...StoreSchema.version

    private func rows(_ sql: String, version: Int64) throws -> [Row] {
        let database = try DatabaseQueue()
        try StoreSchema.migrator.migrate(database, upTo: "\(version)")
        return try database.read { try Row.fetchAll($0, sql: sql) }
    }

    private static func declared(_ version: Int64) -> [RowColumn] {
        ItemColumn.allCases.map(\.declaration).filter { $0.since <= version }
    }

    @Test(arguments: versions) func theTableHasTheDeclaredColumns(_ version: Int64) throws {
        let found = try rows("PRAGMA table_info(items)", version: version)
        #expect(found.map { $0["name"] as String } == Self.declared(version).map(\.name))
        for (row, column) in zip(found, Self.declared(version)) {
            #expect(row["type"] as String == (column.isBlob ? "BLOB" : "INTEGER"), "\(column.name)")
            #expect((row["pk"] as Int == 1) == (column.shape == .rowIdentifier), "\(column.name)")
            #expect(
                (row["notnull"] as Int == 1) == (!column.isOptional && column.shape != .rowIdentifier), "\(column.name)"
            )
            #expect(row["dflt_value"] as String? == nil, "a row without the column reads as NULL there")
        }
    }

    @Test(arguments: versions) func theQuarantineHasThemToo(_ version: Int64) throws {
        let found = try rows("PRAGMA table_info(quarantine)", version: version).map { $0["name"] as String }
        let stored = Self.declared(version).filter { $0.shape != .rowIdentifier }.map(\.name)
        #expect(found == ["entry", "reason", "hour"] + stored)
    }

    @Test(arguments: versions) func theIndicesAreTheDeclaredOnes(_ version: Int64) throws {
        let indices = try rows("PRAGMA index_list(items)", version: version).map { $0["name"] as String }
        #expect(Set(indices) == Set(Self.declared(version).compactMap(\.index)))
        for column in Self.declared(version) {
            guard let index = column.index else { continue }
            let indexed = try rows("PRAGMA index_info(\(index))", version: version).map { $0["name"] as String }
            #expect(indexed.contains(column.name), "\(index)")
        }
    }

    @Test func laterColumnsMayBeMissing() {
        let columns = ItemColumn.allCases.map(\.declaration)
        #expect(
            columns.map(\.since) == columns.map(\.since).sorted(), "else records of earlier versions are not prefixes")
        #expect(columns.allSatisfy { $0.since == 1 || $0.isOptional })
        #expect(columns.allSatisfy { $0.since <= StoreSchema.version })
    }

    @Test func searchColumnsAreThoseThatTheTableHas() {
        #expect(SearchColumn.allCases.map { "\($0)" } == ItemColumn.search.map { "\($0)" })
        for column in SearchColumn.allCases {
            for isSecret in [false, true] {
                #expect(column.statement(secret: isSecret).searchedColumn == ItemColumn.search[column.rawValue])
            }
        }
    }

    /// The stored terms of rows depend on this list.
    @Test func whatIsDigestedStays() {
        #expect(
            ItemColumn.layout.digestedList
                == "uuid, class, pdmn, sync, tomb, version, sequence, group_digest, unique_digest, pair, owner, place, "
                + "label, tag, metadata_key, metadata, class_key, row_key, length(secret)")
    }

    @Test func statementsSayWhatIsDeclared() {
        #expect(
            ItemStatement.updateRowAndSecret.sql
                == "UPDATE items SET pdmn = ?3, sync = ?4, tomb = ?5, version = ?6, sequence = ?7, group_digest = ?8, "
                + "unique_digest = ?9, pair = ?10, owner = ?11, place = ?12, label = ?13, tag = ?14, metadata_key = ?15, "
                + "metadata = ?16, class_key = ?17, row_key = ?18, secret = ?19 WHERE uuid = ?1 AND class = ?2")
        #expect(!ItemStatement.updateRow.sql.contains("secret"))
        #expect(
            StoredRow.list
                == "row, uuid, class, pdmn, sync, tomb, version, group_digest, unique_digest, metadata_key, metadata, "
                + "class_key, row_key, secret")
    }

    @Test func everyStatementIsOneOfTheSchema() throws {
        let database = try DatabaseQueue()
        try StoreSchema.migrator.migrate(database)
        try database.unsafeRead { database in
            let handle = try #require(database.sqliteConnection)
            for statement in StoreSchema.items.statements { _ = try PreparedStatement(handle, statement) }
        }
    }
}
