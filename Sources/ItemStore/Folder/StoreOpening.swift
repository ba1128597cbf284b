import ChatelaineMemory
import ChatelaineModel
import GRDB

/// The opening of a store, in the order that loses nothing: folder, version, schema, identity, keybag, mark.
struct StoreOpening {
    let database: String
    let store: ItemIdentifier
    let keys: StoreKeys
    let writer: StoreWriter

    init(
        folder path: String, keys source: any StoreKeySource, clock: StoreClock,
        log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) {
        let folder = try StoreFolder(path)
        database = folder.database
        if try Self.isBlank(folder) {
            guard try Mark.read(path, store: nil) == nil else {
                throw KeychainError(
                    .notAvailable,
                    "the database of the item store \(path) is empty beside the mark of a store with items; put a copy "
                        + "of the database back, or move the folder away to begin anew")
            }
        }
        writer = try StoreWriter(path: database, clock: clock, log: log)
        let head = try Self.head(writer)
        store = head.store
        keys = try source.openStore(head.store, isEmpty: head.isEmpty)
        try Self.bind(writer, head, to: keys.keybag)
        writer.use(try Self.reconcile(writer, path, head, clock: clock, log: log))
    }

    private struct Head {
        var store: ItemIdentifier
        var keybag: [UInt8]?
        var sequence: UInt64
        var isEmpty: Bool
    }

    /// Whether there is no schema yet; refuses what this code must not touch.
    ///
    /// Read by a connection that cannot write, so that a newer store stays as it is, to the byte.
    private static func isBlank(_ folder: StoreFolder) throws(KeychainError) -> Bool {
        if folder.isNew || folder.databaseSize == 0 { return true }
        let connection = try ReadConnection(reading: folder.database)
        let version = try ReadConnection.integer(connection.handle, "PRAGMA user_version")
        guard version <= StoreSchema.version else {
            throw KeychainError(
                .notAvailable,
                "the item store \(folder.path) was written by a newer version of this software (format \(version)); "
                    + "use that version")
        }
        let application = try ReadConnection.integer(connection.handle, "PRAGMA application_id")
        let tables = try ReadConnection.integer(connection.handle, "SELECT count(*) FROM sqlite_schema")
        guard application == StoreSchema.applicationID || (tables == 0 && application == 0) else {
            throw KeychainError(.notAvailable, "\(folder.database) is a database, but not that of an item store")
        }
        return tables == 0
    }

    /// The record of the store's identity, made where there is none.
    private static func head(_ writer: StoreWriter) throws(KeychainError) -> Head {
        try writer.withDatabase { database in
            let isEmpty =
                try Bool.fetchOne(
                    database, sql: "SELECT NOT EXISTS (SELECT 1 FROM items) AND NOT EXISTS (SELECT 1 FROM quarantine)")
                ?? false
            guard let row = try Row.fetchOne(database, sql: "SELECT uuid, keybag, sequence FROM store") else {
                guard isEmpty else {
                    throw KeychainError(.notAvailable, "the item store's database has lost its head record")
                }
                let store = ItemIdentifier()
                let statement = try PreparedStatement(
                    handle(database), "INSERT INTO store (id, uuid, sequence) VALUES (1, ?1, 0)")
                try statement.bind(1, store.bytes)
                try statement.run()
                return Head(store: store, keybag: nil, sequence: 0, isEmpty: true)
            }
            guard let bytes = row["uuid"] as DatabaseValue?, let store = identifier(bytes) else {
                throw KeychainError(.notAvailable, "the head record of the item store's database is damaged")
            }
            return Head(
                store: store, keybag: (row["keybag"] as DatabaseValue?).flatMap(identifier)?.bytes,
                sequence: UInt64(clamping: row["sequence"] as Int64), isEmpty: isEmpty)
        }
    }

    /// Store and keybag carry each other's identifier; only a store without rows takes a new one.
    private static func bind(
        _ writer: StoreWriter, _ head: Head, to keybag: ItemIdentifier
    ) throws(KeychainError) {
        if head.keybag == keybag.bytes { return }
        guard head.keybag == nil || head.isEmpty else {
            throw KeychainError(
                .notAvailable, "the keybag at hand is not the one that the item store was sealed with; put that back")
        }
        try writer.withDatabase { database in
            let statement = try PreparedStatement(handle(database), "UPDATE store SET keybag = ?1 WHERE id = 1")
            try statement.bind(1, keybag.bytes)
            try statement.run()
        }
    }

    /// Compares the mark with the database, and reports what is lost; sequences are never given out twice.
    private static func reconcile(
        _ writer: StoreWriter, _ path: String, _ head: Head, clock: StoreClock, log: (StoreEvent) -> Void
    ) throws(KeychainError) -> Mark {
        let marked = try Mark.read(path, store: head.store)
        var sequence = head.sequence
        if let marked, marked > head.sequence {
            log(.changesLost(marked: marked, found: head.sequence))
            sequence = marked + 1
            try writer.withDatabase { database in
                try database.inTransaction(.immediate) {
                    try database.execute(
                        sql: """
                            INSERT INTO losses (hour, marked, found) VALUES (\(clock.hour), \(marked), \(head.sequence));
                            UPDATE store SET sequence = \(sequence) WHERE id = 1;
                            """)
                    return .commit
                }
            }
        } else if marked == nil, head.sequence > 0 {
            log(.markMissing)
        }
        return try Mark.open(path, store: head.store, sequence: sequence)
    }

    private static func handle(_ database: Database) throws(KeychainError) -> OpaquePointer {
        guard let handle = database.sqliteConnection else {
            throw KeychainError(.internalComponent, "the database closed while it opened")
        }
        return handle
    }

    private static func identifier(_ value: DatabaseValue) -> ItemIdentifier? {
        guard case .blob(let bytes) = value.storage else { return nil }
        return ItemIdentifier(bytes)
    }
}
