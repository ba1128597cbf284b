import ChatelaineModel
import GRDB
import GRDBSQLite

/// The opening of a store, in an order that loses nothing: folder, version, schema, identity, keybag, mark.
struct StoreOpening {
    let places: StorePlaces
    let database: String
    let store: StoreIdentifier
    let examiner: any RowExaminer
    let writer: StoreWriter
    let health: StoreHealth
    let recovery: Recovery?

    /// Opens a store.
    ///
    /// - Parameter layout: the columns that rows of a damaged file may have.
    init(
        _ places: StorePlaces, kind: any StoreKind, clock: StoreClock, isDamaged: Bool, layout: RowLayout,
        log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) {
        self.places = places
        let schema = kind.schema
        try StoreActivation(places: places, clock: clock, purpose: .recovery).settle()
        let start = RecoveryStart(places: places, layout: layout, kind: kind, clock: clock, log: log)
        let found = try StoreFinding(
            places, schema, clock: clock, isDamaged: isDamaged, goesOnFromSnapshots: kind.goesOnFromSnapshots)
        var outlook: RecoveryStart.Outlook?
        if let (cause, refusal) = found.recovery { outlook = try start.begin(cause, otherwise: refusal) }
        if let version = found.version, version < schema.version, found.recovery == nil {
            outlook = try Self.keep(places, start, clock: clock, log: log)
        }
        let folder = try StoreFolder(places.store)
        database = folder.database
        health = StoreHealth(log: log)
        writer = try StoreWriter(path: database, schema: schema, clock: clock, health: health, log: log)
        let head = try Self.head(writer, schema.layout)
        store = head.store
        examiner = try kind.open(head.store, isEmpty: head.isEmpty)
        let secrets = examiner.secrets
        try Self.bind(writer, head, to: secrets.keybag)
        let recovery = try Recovery(of: writer, places, schema, layout, clock: clock, outlook, log: log)
        self.recovery = recovery
        try Self.settleLosses(writer, recovery, places, clock: clock, log: log)
        let integrity = try Self.integrity(writer, places, schema, head, secrets, recovery, clock: clock, log: log)
        writer.use(integrity)
        if !secrets.isMarked { try examiner.noteMark() }
    }

    /// Takes the snapshot without which no format is changed.
    ///
    /// A damaged store has no snapshot, and is instead made anew from its remains in the present format. Two openings
    /// have to agree on the damage, since a disk that fails once is none.
    private static func keep(
        _ places: StorePlaces, _ start: RecoveryStart, clock: StoreClock, log: (StoreEvent) -> Void
    ) throws(KeychainError) -> RecoveryStart.Outlook? {
        let (snapshots, database) = (SnapshotFolder(places, clock: clock), places.store + "/" + StoreFiles.database)
        do throws(KeychainError) {
            log(.snapshotTaken(try snapshots.takeBeforeMigration(of: database, start.kind.schema)))
            return nil
        } catch {
            guard error.isUnusableSnapshot, try !isWhole(database), try !isWhole(database),
                let (cause, refusal) = try StoreFinding(places, start.kind.schema, clock: clock, isDamaged: true)
                    .recovery
            else { throw error }
            return try start.begin(cause, otherwise: refusal)
        }
    }

    /// Whether SQLite, on a connection with an empty cache, finds the structure sound.
    private static func isWhole(_ database: String) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: database)
            let check = try PreparedStatement(connection.handle, "PRAGMA quick_check(1)")
            return try check.step() && check.text(0) == "ok"
        } catch {
            guard error.cause == .damage else { throw error }
            return false
        }
    }

    struct Head {
        var store: StoreIdentifier
        var keybag: [UInt8]?
        var sequence: UInt64
        var isEmpty: Bool
        /// Whether this opening made the record.
        var isNew = false
    }

    /// Reads the head record, or makes one for a new store.
    private static func head(_ writer: StoreWriter, _ layout: RowLayout) throws(KeychainError) -> Head {
        try writer.withDatabase { database in
            let isEmpty =
                try Bool.fetchOne(
                    database,
                    sql: """
                        SELECT NOT EXISTS (SELECT 1 FROM \(layout.table)) AND NOT EXISTS (SELECT 1 FROM quarantine) \
                        AND NOT EXISTS (SELECT 1 FROM recoveries)
                        """) ?? false
            guard let row = try Row.fetchOne(database, sql: "SELECT uuid, keybag, sequence FROM store") else {
                guard isEmpty else {
                    throw KeychainError(.notAvailable, "the item store's database has lost its head record")
                }
                let store = StoreIdentifier()
                let statement = try PreparedStatement(
                    handle(database), "INSERT INTO store (id, uuid, sequence) VALUES (1, ?1, 0)")
                try statement.bind(1, store.bytes)
                try statement.run()
                return Head(store: store, keybag: nil, sequence: 0, isEmpty: true, isNew: true)
            }
            guard let bytes = row["uuid"] as DatabaseValue?, let store: StoreIdentifier = identifier(bytes),
                let sequence = row.number("sequence"), sequence >= 0, sequence <= Int64(HighWaterMark.highestSequence)
            else { throw KeychainError(extended: SQLITE_CORRUPT, errno: 0, "reading the head record") }
            return Head(
                store: store,
                keybag: (row["keybag"] as DatabaseValue?).flatMap { identifier($0) as KeybagIdentifier? }?.bytes,
                sequence: UInt64(sequence), isEmpty: isEmpty)
        }
    }

    /// Binds store and keybag to each other's identifier; only a store without rows accepts another keybag.
    private static func bind(
        _ writer: StoreWriter, _ head: Head, to keybag: KeybagIdentifier
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

    /// The hour of the last recorded change, of the store or of a snapshot.
    static func lastChange(_ writer: StoreWriter) throws(KeychainError) -> Int64? {
        try writer.withDatabase { database in
            try Int64.fetchOne(
                database,
                sql: """
                    SELECT max(hour) FROM (SELECT hour FROM store UNION ALL \
                    SELECT snapshot_hour FROM store WHERE snapshot_sequence <= sequence) WHERE typeof(hour) = 'integer'
                    """)
        }
    }

    static func list(
        _ event: LossList.Event, _ fields: [(name: String, value: LossList.Value)], _ places: StorePlaces,
        _ clock: StoreClock, _ log: (StoreEvent) -> Void
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

    private static func identifier<Identifier: RandomIdentifier>(_ value: DatabaseValue) -> Identifier? {
        guard case .blob(let bytes) = value.storage else { return nil }
        return Identifier(bytes)
    }
}
