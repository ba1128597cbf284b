import ChatelaineModel

/// The state of a store's place before anything is written: a store, none, or the remains of one.
///
/// Only connections that cannot write look at the database, so that a newer store stays unchanged to the byte. A second
/// opening has to confirm damage to the database. A failing disk, exhausted memory, permissions and a newer format are
/// errors, and lead to no recovery.
struct StoreFinding {
    /// The format of the database; nil without a database that was ever finished.
    let version: Int64?
    /// The reason for a recovery, and the error where it is impossible; nil for a store that can be opened.
    let recovery: (cause: RecoveryCause, refusal: KeychainError)?

    /// Looks at a store's place.
    ///
    /// - Parameter goesOnFromSnapshots: ``StoreKind/goesOnFromSnapshots``
    init(
        _ places: StorePlaces, _ schema: RowSchema, clock: StoreClock, isDamaged: Bool, goesOnFromSnapshots: Bool = true
    ) throws(KeychainError) {
        let hasSnapshots = try !SnapshotFolder(places, clock: clock).list().isEmpty
        if hasSnapshots, try !StoreFolder.exists(places.store) {
            version = nil
            recovery = (
                .missing,
                KeychainError(
                    .notAvailable,
                    "the item store \(places.store) is missing and its snapshots cannot be used; put a copy of it back, or move "
                        + "\(places.snapshots) away to begin anew")
            )
            return
        }
        let isMarked = try HighWaterMark.exists(places)
        let database = places.store + "/" + StoreFiles.database
        if isMarked, try StoreFolder.exists(places.store), try !StoreFolder.exists(database) {
            version = nil
            recovery = (.missing, Self.nothing(places))
            return
        }
        let folder = try StoreFolder(places.store)
        if folder.isNew, !hasSnapshots {
            version = nil
            recovery = nil
            return
        }
        if try folder.databaseSize == 0 {
            version = nil
            let logSize = try StoreFolder.size(folder.path + "/" + StoreFiles.log)
            let isUsed = isMarked || logSize > 0
            let isThere = try StoreFolder.exists(folder.database)
            recovery = hasSnapshots || isUsed || !isThere ? (.missing, Self.nothing(places)) : nil
            return
        }
        if isDamaged {
            version = nil
            recovery = (.damaged, Self.refusal(places))
            return
        }
        try ReadConnection.rollBack(folder.database)
        let first = try Self.look(folder, schema)
        let second = first == nil ? try Self.look(folder, schema) : first
        guard let seen = second else {
            version = nil
            recovery = (.damaged, Self.refusal(places))
            return
        }
        if seen.tables == 0, hasSnapshots || isMarked {
            version = nil
            recovery = (.missing, Self.nothing(places))
            return
        }
        version = seen.hasHead ? seen.version : nil
        recovery = try Self.isBehind(seen, places, schema, clock: clock, goesOnFromSnapshots)
    }

    private static func nothing(_ places: StorePlaces) -> KeychainError {
        KeychainError(
            cause: .unrecoverable,
            "the database of the item store \(places.store) is missing or empty, and there is nothing to recover it from; put a "
                + "copy of the database back, or move the folder away to begin anew")
    }

    private struct Seen {
        var version: Int64
        var tables: Int64
        /// Whether the database has a head record; a store that was never fully opened has none, and no items.
        var hasHead: Bool
        var sequence: UInt64
    }

    private static func refusal(_ places: StorePlaces) -> KeychainError {
        KeychainError(
            cause: .unrecoverable,
            "the database of the item store \(places.store) is damaged, and no item of it opens; nothing was changed. Put a "
                + "copy of the folder back, or move it away to begin anew")
    }

    /// Reads the head of a database on a fresh connection; nil where SQLite finds damage or the head record is
    /// impossible.
    private static func look(_ folder: StoreFolder, _ schema: RowSchema) throws(KeychainError) -> Seen? {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: folder.database)
            func number(_ sql: String) throws(KeychainError) -> Int64 {
                try ReadConnection.integer(connection.handle, sql)
            }
            let version = try number("PRAGMA user_version")
            // GRDB makes the table of migrations first, in a transaction of its own.
            let tables = try number("SELECT count(*) FROM sqlite_schema WHERE tbl_name != 'grdb_migrations'")
            if tables > 0, let known = try schema.version(of: connection.handle) {
                guard try schema.hasHeader(of: known, connection.handle) else { return nil }
            } else {
                guard version <= schema.version else {
                    throw KeychainError(
                        cause: .newerFormat,
                        "the item store \(folder.path) was written by a newer version of this software (format \(version)); "
                            + "use that version")
                }
                let application = try number("PRAGMA application_id")
                guard application == schema.applicationID || (tables == 0 && application == 0) else {
                    throw KeychainError(
                        .notAvailable, "\(folder.database) is a database, but not that of an item store")
                }
                // The database is a store's, with foreign objects or altered tables.
                guard tables == 0 else { return nil }
            }
            guard tables > 0 else { return Seen(version: version, tables: 0, hasHead: false, sequence: 0) }
            // The queries read the roots of the tables that opening needs.
            let sequence = try number("SELECT coalesce(max(sequence), -1) FROM store WHERE id = 1")
            let hasRows = try number("SELECT EXISTS (SELECT 1 FROM \(schema.layout.table))") != 0
            // SQLite compares types only when it writes, and takes anything else for 0 here.
            guard try number("SELECT count(*) FROM store WHERE typeof(sequence) != 'integer'") == 0 else { return nil }
            guard sequence >= (hasRows ? 0 : -1), sequence <= Int64(HighWaterMark.highestSequence) else { return nil }
            return Seen(
                version: version, tables: tables, hasHead: sequence >= 0, sequence: UInt64(clamping: sequence))
        } catch {
            guard error.cause == .damage else { throw error }
            return nil
        }
    }

    /// Whether changes are missing that still exist: in a newer snapshot, or in the log beyond the point where SQLite
    /// stops reading.
    private static func isBehind(
        _ seen: Seen, _ places: StorePlaces, _ schema: RowSchema, clock: StoreClock, _ goesOnFromSnapshots: Bool
    ) throws(KeychainError) -> (cause: RecoveryCause, refusal: KeychainError)? {
        guard seen.tables > 0, let (marked, store) = try HighWaterMark.claim(places), marked > seen.sequence
        else { return nil }
        let newest = try SnapshotFolder(places, clock: clock).list().first { $0.store == store }
        let isOld = goesOnFromSnapshots && newest.map { $0.sequence > seen.sequence } ?? false
        // No connection is open now, so that closing these descriptors drops no locks.
        let hasMore =
            try DamagedDatabase(folder: places.store, layout: schema.layout)?.log.hasUnreachableFrames ?? false
        guard isOld || hasMore else { return nil }
        return (.behind(marked: marked, found: seen.sequence), refusal(places))
    }
}
