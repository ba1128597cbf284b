import ChatelaineModel
import GRDB
import StoreEngine

/// The tables of a store, version by version (`Documentation/formats/item-store.md`).
package enum StoreSchema {
    /// The version that this code writes; also the database's `user_version`.
    package static let version: Int64 = 5
    /// `application_id` of the database: "Chtl".
    static let applicationID: Int64 = 0x4368_746C

    /// The schema of a store of items, for the engine.
    static let items = RowSchema(
        ItemColumn.layout, version: version, applicationID: applicationID, firstSealedVersion: 3,
        firstRecoverableVersion: 2,
        // The classes are listed, since SQLite would read all rows for a range of classes.
        groupCondition: "class IN (1, 2, 3, 4) AND group_digest = ?1 AND tomb = 0",
        statements: ItemStatement.allCases.map(\.sql), migrations: register)

    /// The schema of a file keychain, which has the same rows (`Documentation/formats/file-keychain.md`).
    static let fileKeychain = RowSchema(
        ItemColumn.layout, version: fileVersion, applicationID: fileApplicationID,
        groupCondition: "group_digest = ?1 AND tomb = 0", hasProperties: true,
        statements: ItemStatement.allCases.map(\.sql)
    ) { migrator in
        migrator.registerMigration("1") { try $0.execute(sql: firstFileVersion) }
        migrator.registerMigration("2") { try $0.execute(sql: keysInFiles) }
    }

    /// The version of file keychains that this code writes.
    package static let fileVersion: Int64 = 2
    static let fileApplicationID = Int64(KeychainFileHead.applicationID)
    private static let firstFileVersion = RowSchema.firstVersion(
        of: ItemColumn.layout, applicationID: fileApplicationID, hasProperties: true)

    /// Version 2: the description of a key, and the bytes of a certificate, may precede an item's attributes.
    ///
    /// As with ``constrainedItems``, no row and no column changes.
    private static let keysInFiles = """
        PRAGMA user_version = 2;

        DROP INDEX items_tombs;
        CREATE INDEX items_tombs ON items (tomb) /* some items are keys, some certificates */ WHERE tomb = 1;
        """

    /// Migrates a database of any earlier version, or an empty one, to ``version``.
    package static var migrator: DatabaseMigrator { items.migrator }

    @Sendable private static func register(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("1") { database in
            try database.execute(sql: firstVersion)
        }
        migrator.registerMigration("2") { database in
            try database.execute(sql: secondVersion)
        }
        migrator.registerMigration("3") { database in
            try database.execute(sql: "PRAGMA user_version = 3;" + namelessRequests + sealedHead)
        }
        migrator.registerMigration("4") { database in
            try database.execute(sql: constrainedItems)
        }
        migrator.registerMigration("5") { database in
            try database.execute(sql: privateKeys)
        }
    }

    private static let firstVersion = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = 1;

        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            uuid BLOB NOT NULL CHECK (length(uuid) = 16),
            keybag BLOB CHECK (keybag IS NULL OR length(keybag) = 16),
            sequence INTEGER NOT NULL,
            snapshot_sequence INTEGER,
            snapshot_hour INTEGER
        ) STRICT;

        CREATE TABLE items (
            row INTEGER PRIMARY KEY,
            uuid BLOB NOT NULL,
            class INTEGER NOT NULL,
            pdmn INTEGER NOT NULL,
            sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL,
            version INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            group_digest BLOB NOT NULL,
            unique_digest BLOB NOT NULL,
            pair BLOB,
            owner BLOB,
            place BLOB,
            label BLOB,
            tag BLOB,
            metadata_key INTEGER NOT NULL,
            metadata BLOB NOT NULL,
            class_key INTEGER,
            row_key BLOB,
            secret BLOB,
            CHECK ((secret IS NULL) = (row_key IS NULL) AND (secret IS NULL) = (class_key IS NULL))
        ) STRICT;
        CREATE UNIQUE INDEX items_uuid ON items (uuid);
        CREATE UNIQUE INDEX items_unique ON items (unique_digest, tomb);
        CREATE INDEX items_pair ON items (pair) WHERE pair IS NOT NULL;
        CREATE INDEX items_owner ON items (owner) WHERE owner IS NOT NULL;
        CREATE INDEX items_place ON items (place) WHERE place IS NOT NULL;
        CREATE INDEX items_label ON items (label) WHERE label IS NOT NULL;
        CREATE INDEX items_tag ON items (tag) WHERE tag IS NOT NULL;
        CREATE INDEX items_group ON items (class, group_digest) WHERE tomb = 0;
        CREATE INDEX items_tombs ON items (tomb) WHERE tomb = 1;

        CREATE TABLE requests (
            slot INTEGER PRIMARY KEY,
            caller BLOB NOT NULL,
            id BLOB NOT NULL,
            digest BLOB NOT NULL,
            status INTEGER NOT NULL,
            item BLOB,
            hour INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX requests_id ON requests (caller, id);

        CREATE TABLE quarantine (
            entry INTEGER PRIMARY KEY,
            reason INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            uuid ANY, class ANY, pdmn ANY, sync ANY, tomb ANY, version ANY, sequence ANY, group_digest ANY,
            unique_digest ANY, pair ANY, owner ANY, place ANY, label ANY, tag ANY, metadata_key ANY, metadata ANY,
            class_key ANY, row_key ANY, secret ANY
        ) STRICT;

        CREATE TABLE losses (
            entry INTEGER PRIMARY KEY,
            hour INTEGER NOT NULL,
            marked INTEGER NOT NULL,
            found INTEGER NOT NULL
        ) STRICT;
        """

    /// Version 2: the recoveries from damage, and their remaining work.
    private static let secondVersion = """
        PRAGMA user_version = 2;

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

    /// Version 3: answers to requests record neither caller nor hour, and the store records the hour of its last
    /// change.
    ///
    /// Earlier answers keep caller and number as their name until they are forgotten, and have no digest to compare a
    /// repetition with.
    private static let namelessRequests = """
        ALTER TABLE store ADD COLUMN hour INTEGER;
        UPDATE store SET hour = (SELECT max(hour) FROM requests);

        ALTER TABLE requests RENAME TO former_requests;
        CREATE TABLE requests (
            slot INTEGER PRIMARY KEY,
            name BLOB NOT NULL,
            digest BLOB,
            status INTEGER NOT NULL,
            item BLOB
        ) STRICT;
        INSERT INTO requests (slot, name, status, item)
            SELECT slot, CAST(caller || id AS BLOB), status, item FROM former_requests;
        DROP TABLE former_requests;
        CREATE UNIQUE INDEX requests_name ON requests (name);
        """

    /// Version 3, too: the digest of all rows, sealed with the number of the last change.
    private static let sealedHead = "ALTER TABLE store ADD COLUMN head BLOB;"

    /// Version 4: constraints may stand among the sealed attributes of an item.
    ///
    /// An earlier version would take such attributes for damaged ones, so that it must not open the store. No row and
    /// no column changes. The text of an index changes, which identifies the version where the header is damaged.
    private static let constrainedItems = """
        PRAGMA user_version = 4;

        DROP INDEX items_tombs;
        CREATE INDEX items_tombs ON items (tomb) /* some items have constraints */ WHERE tomb = 1;
        """

    /// Version 5: the description of a key may stand among the sealed attributes of an item, for the same reason.
    private static let privateKeys = """
        PRAGMA user_version = 5;

        DROP INDEX items_tombs;
        CREATE INDEX items_tombs ON items (tomb) /* some items have constraints, some are keys */ WHERE tomb = 1;
        """
}
