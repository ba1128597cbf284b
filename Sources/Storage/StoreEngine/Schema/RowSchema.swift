import ChatelaineSystem
import GRDB

/// The format of one kind of store: its table of rows, its statements, and its migrations.
///
/// The engine declares the tables that every store has (``RowSchema/engineTables(for:)``). The kind of store declares
/// the table of rows.
package final class RowSchema: Sendable {
    /// The columns of records on disk, from which the engine's statements are made.
    package let layout: RowLayout
    /// The version that this code writes; also the database's `user_version`.
    package let version: Int64
    /// `application_id` of the database.
    let applicationID: Int64
    /// The first version whose head record is sealed.
    let firstSealedVersion: Int64
    /// Whether a store without a head record was altered, whatever its version.
    var isAlwaysSealed: Bool { firstSealedVersion == 1 }
    /// The first version that can record a recovery.
    let firstRecoverableVersion: Int64
    /// A condition on ``RowLayout/group``, as ?1, that lets an index of a snapshot find all rows of a group; nil
    /// without one.
    let groupCondition: String?
    /// Whether the schema has a table of ``StoreProperties``.
    let hasProperties: Bool
    /// The prepared statements of the engine, then those of the kind of store.
    let statements: [String]
    private let registerMigrations: @Sendable (inout DatabaseMigrator) -> Void
    let known = AdaptiveMutex<[Int64: Set<Object>]>([:])

    /// Declares a format.
    ///
    /// - Parameters:
    ///   - statements: the prepared statements of the kind of store, by their numbers from 0.
    ///   - migrations: registers a step for each version from 1 on, named by the version's number.
    package init(
        _ layout: RowLayout, version: Int64, applicationID: Int64, firstSealedVersion: Int64 = 1,
        firstRecoverableVersion: Int64 = 1, groupCondition: String? = nil, hasProperties: Bool = false,
        statements: [String] = [],
        migrations: @escaping @Sendable (inout DatabaseMigrator) -> Void
    ) {
        self.layout = layout
        self.version = version
        self.applicationID = applicationID
        self.firstSealedVersion = firstSealedVersion
        self.firstRecoverableVersion = firstRecoverableVersion
        self.groupCondition = groupCondition
        self.hasProperties = hasProperties
        self.statements = EngineStatement.allCases.map { $0.sql(for: layout) } + statements
        registerMigrations = migrations
    }

    /// Migrates a database of any earlier version, or an empty one, to ``version``.
    package var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        registerMigrations(&migrator)
        return migrator
    }
}

// MARK: For kinds of stores that begin now

extension RowSchema {
    /// The SQL that makes the first version of a store without a history of migrations.
    ///
    /// It makes the tables of the engine, the table of rows, and an index for each column that names one.
    ///
    /// - Parameter hasProperties: whether the store has a table of ``StoreProperties``.
    package static func firstVersion(
        of layout: RowLayout, applicationID: Int64, hasProperties: Bool = false
    ) -> String {
        """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = 1;
        \(engineTables(for: layout))\(hasProperties ? propertyTable : "")
        CREATE TABLE \(layout.table) (\(layout.columns.map(definition).joined(separator: ", "))) STRICT;
        \(layout.columns.compactMap { index(of: $0, layout) }.joined(separator: "\n"))
        """
    }

    private static func definition(_ column: RowColumn) -> String {
        switch column.shape {
        case .rowIdentifier: "\(column.name) INTEGER PRIMARY KEY"
        case .integer: "\(column.name) INTEGER\(column.isOptional ? "" : " NOT NULL")"
        case .blob: "\(column.name) BLOB\(column.isOptional ? "" : " NOT NULL")"
        }
    }

    private static func index(of column: RowColumn, _ layout: RowLayout) -> String? {
        guard let index = column.index else { return nil }
        let condition = column.isOptional ? " WHERE \(column.name) IS NOT NULL" : ""
        let tombstone = layout.tombstone.map { layout.name($0) }
        return switch column.role {
        case .identifier: "CREATE UNIQUE INDEX \(index) ON \(layout.table) (\(column.name));"
        case .unique:
            "CREATE UNIQUE INDEX \(index) ON \(layout.table) (\(([column.name] + [tombstone].compactMap { $0 }).joined(separator: ", ")));"
        case .group: "CREATE INDEX \(index) ON \(layout.table) (\(column.name))\(layout.whereLive("WHERE"));"
        case .tombstone: "CREATE INDEX \(index) ON \(layout.table) (\(column.name)) WHERE \(column.name) = 1;"
        default: "CREATE INDEX \(index) ON \(layout.table) (\(column.name))\(condition);"
        }
    }

    private static let propertyTable = """

        CREATE TABLE properties (id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
        """

    private static func engineTables(for layout: RowLayout) -> String {
        """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            uuid BLOB NOT NULL CHECK (length(uuid) = 16),
            keybag BLOB CHECK (keybag IS NULL OR length(keybag) = 16),
            sequence INTEGER NOT NULL,
            snapshot_sequence INTEGER,
            snapshot_hour INTEGER,
            hour INTEGER,
            head BLOB
        ) STRICT;
        CREATE TABLE requests (
            slot INTEGER PRIMARY KEY,
            name BLOB NOT NULL,
            digest BLOB,
            status INTEGER NOT NULL,
            item BLOB
        ) STRICT;
        CREATE UNIQUE INDEX requests_name ON requests (name);
        CREATE TABLE quarantine (
            entry INTEGER PRIMARY KEY,
            reason INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            \(layout.stored.map { "\(layout.name($0)) ANY" }.joined(separator: ", "))
        ) STRICT;
        CREATE TABLE losses (
            entry INTEGER PRIMARY KEY,
            hour INTEGER NOT NULL,
            marked INTEGER NOT NULL,
            found INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE recoveries (
            entry INTEGER PRIMARY KEY,
            started INTEGER NOT NULL,
            finished INTEGER,
            base INTEGER NOT NULL,
            damaged TEXT,
            snapshot TEXT,
            is_complete INTEGER NOT NULL,
            phase INTEGER NOT NULL,
            position INTEGER NOT NULL,
            salvaged INTEGER NOT NULL,
            restored INTEGER NOT NULL,
            set_aside INTEGER NOT NULL,
            lost INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE brought (uuid BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        """
    }
}
