import ChatelaineMemory
import ChatelaineModel
import GRDB

/// The opening of a store, in the order that loses nothing: folder, version, schema, identity, keybag, mark.
struct StoreOpening {
    let places: StorePlaces
    let database: String
    let store: ItemIdentifier
    let keys: StoreKeys
    let writer: StoreWriter
    let health: StoreHealth
    let recovery: Recovery?

    init(
        folder path: String, keys source: any StoreKeySource, clock: StoreClock, isDamaged: Bool,
        log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) {
        let places = StorePlaces(store: path)
        self.places = places
        try StoreActivation(places: places, clock: clock, purpose: .recovery).settle()
        let start = RecoveryStart(places: places, source: source, clock: clock, log: log)
        let found = try StoreFinding(places, clock: clock, isDamaged: isDamaged)
        if let (cause, refusal) = found.recovery { try start.begin(cause, otherwise: refusal) }
        let folder = try StoreFolder(path)
        database = folder.database
        if let version = found.version, version < StoreSchema.version, found.recovery == nil {
            let snapshots = SnapshotFolder(places, clock: clock)
            log(.snapshotTaken(try snapshots.takeBeforeMigration(of: database)))
        }
        health = StoreHealth(log: log)
        writer = try StoreWriter(path: database, clock: clock, health: health, log: log)
        let head = try Self.head(writer)
        store = head.store
        keys = try source.openStore(head.store, isEmpty: head.isEmpty)
        try Self.bind(writer, head, to: keys.keybag)
        writer.use(try Self.reconcile(writer, places, head, clock: clock, log: log))
        recovery = try Recovery(of: writer, places, clock: clock, log: log)
    }

    private struct Head {
        var store: ItemIdentifier
        var keybag: [UInt8]?
        var sequence: UInt64
        var isEmpty: Bool
    }

    /// The record of the store's identity, made where there is none.
    private static func head(_ writer: StoreWriter) throws(KeychainError) -> Head {
        try writer.withDatabase { database in
            let isEmpty =
                try Bool.fetchOne(
                    database,
                    sql: """
                        SELECT NOT EXISTS (SELECT 1 FROM items) AND NOT EXISTS (SELECT 1 FROM quarantine) \
                        AND NOT EXISTS (SELECT 1 FROM recoveries)
                        """) ?? false
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
            guard let sequence = row["sequence"] as Int64?, sequence >= 0, sequence <= Int64(Mark.highestSequence)
            else {
                throw KeychainError(.notAvailable, "the head record of the item store's database is damaged")
            }
            return Head(
                store: store, keybag: (row["keybag"] as DatabaseValue?).flatMap(identifier)?.bytes,
                sequence: UInt64(sequence), isEmpty: isEmpty)
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
        _ writer: StoreWriter, _ places: StorePlaces, _ head: Head, clock: StoreClock, log: (StoreEvent) -> Void
    ) throws(KeychainError) -> Mark {
        var sequence = head.sequence
        switch try Mark.content(places.store) {
        case .sequence(let marked, let store):
            guard store == head.store else {
                throw KeychainError(
                    .notAvailable,
                    "\(places.store)/\(StoreFiles.mark) belongs to another store than the database beside it: put together "
                        + "what belongs together")
            }
            guard marked > head.sequence else { break }
            log(.changesLost(marked: marked, found: head.sequence))
            list(
                "changes-lost",
                [("marked", .number(Int64(clamping: marked))), ("found", .number(Int64(clamping: head.sequence)))],
                places, clock, log)
            sequence = marked + 1
            try note(writer, marked: marked, found: head.sequence, clock: clock)
        case .damaged:
            log(.markDamaged)
            list("mark-damaged", [], places, clock, log)
        case .missing where head.sequence > 0: log(.markMissing)
        case .missing: break
        }
        return try Mark.open(places.store, store: head.store, sequence: sequence)
    }

    private static func note(
        _ writer: StoreWriter, marked: UInt64, found: UInt64, clock: StoreClock
    ) throws(KeychainError) {
        try writer.withDatabase { database in
            try database.inTransaction(.immediate) {
                try database.execute(
                    sql: """
                        INSERT INTO losses (hour, marked, found) VALUES (\(clock.hour), \(marked), \(found));
                        UPDATE store SET sequence = \(marked + 1) WHERE id = 1;
                        """)
                return .commit
            }
        }
    }

    private static func list(
        _ event: String, _ fields: [(name: String, value: LossList.Value)], _ places: StorePlaces, _ clock: StoreClock,
        _ log: (StoreEvent) -> Void
    ) {
        do throws(KeychainError) {
            try LossList(places, clock: clock).append([(event, fields)])
        } catch {
            log(.listFailed(error))
        }
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
