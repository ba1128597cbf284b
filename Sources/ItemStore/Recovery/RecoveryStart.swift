import ChatelaineMemory
import ChatelaineModel
import GRDB

/// The beginning of a recovery: sets a damaged store aside and puts an empty one of the same identity into its place.
///
/// The new store has the identifier of the old one, to which all seals are bound, and a record of what it is to be
/// filled from. That takes no longer than one pass over the damaged file; filling it is ``Recovery``'s. Nothing is
/// moved unless something can be saved: a row that opens, or a snapshot.
struct RecoveryStart {
    /// Rows that are tried before it counts as proven that none opens.
    private static let rowsTried = 4096

    let places: StorePlaces
    let source: any StoreKeySource
    let clock: StoreClock
    let log: @Sendable (StoreEvent) -> Void

    /// Makes the exchange. Throws `refusal` where nothing can be saved, and what disk and key custodian say; the store is
    /// then as it was.
    func begin(_ cause: RecoveryCause, otherwise refusal: KeychainError) throws(KeychainError) {
        let damaged = try StoreFolder.exists(places.store) ? DamagedDatabase(folder: places.store) : nil
        let survey = damaged?.survey() ?? DamagedDatabase.Survey()
        var marked: (sequence: UInt64, store: ItemIdentifier)?
        if case .sequence(let sequence, let store) = try Mark.content(places.store) { marked = (sequence, store) }
        if let marked, let store = survey.store, store != marked.store {
            throw KeychainError(
                .notAvailable,
                "\(places.store) holds the mark of another store than its damaged database: put together what belongs "
                    + "together")
        }
        let known = marked?.store ?? survey.store
        let snapshot = try newestSnapshot(of: known)
        guard let store = known ?? snapshot?.store, survey.rows > 0 || snapshot != nil else { throw refusal }
        let keys = try source.openStore(store, isEmpty: false)
        if snapshot == nil {
            guard let damaged, try hasRow(damaged, of: store, keys) else { throw refusal }
        }
        let sequence = max(marked?.sequence ?? 0, survey.sequence, snapshot?.sequence ?? 0) + 1
        let isComplete =
            survey.headSequence >= max(marked?.sequence ?? 0, snapshot?.sequence ?? 0)
            && (damaged?.isTableComplete ?? false)
        let activation = StoreActivation(places: places, clock: clock, purpose: .recovery)
        let name = try activation.quarantineName()
        do throws(KeychainError) {
            let folder = try activation.begin()
            try fill(
                folder,
                Record(
                    store: store, keybag: keys.keybag, sequence: sequence, damaged: damaged == nil ? nil : name,
                    snapshot: snapshot?.name, isComplete: isComplete, cause: cause, requests: survey.requests))
        } catch {
            activation.abandon()
            throw error
        }
        var fields: [(name: String, value: LossList.Value)] = []
        if let name { fields.append(("folder", .text(name))) }
        if let snapshot { fields.append(("snapshot", .text(snapshot.name))) }
        if case .behind(let marked, let found) = cause {
            fields += [("marked", .number(Int64(clamping: marked))), ("found", .number(Int64(clamping: found)))]
        }
        try LossList(places, clock: clock).append([("recovery-begun", fields)])
        try activation.activate(settingAsideAs: name)
        log(.recoveryBegun(folder: name.map { "\(places.quarantine)/\($0)" }, snapshot: snapshot?.name, cause))
    }

    /// The newest snapshot that can be read and is of this store, or of any where that is not known.
    private func newestSnapshot(of store: ItemIdentifier?) throws(KeychainError) -> Snapshot? {
        let folder = SnapshotFolder(places, clock: clock)
        for snapshot in try folder.list() where store == nil || snapshot.store == store {
            do throws(KeychainError) {
                let head = try SnapshotReader.reading(folder.database(of: snapshot.name)) {
                    (reader) throws(KeychainError) in try reader.head()
                }
                if head.store == snapshot.store, head.sequence == snapshot.sequence { return snapshot }
            } catch {
                // A disk that does not give it now may give it later: to begin without it would lose what is in it.
                guard error.isUnusableSnapshot else { throw error }
                log(.snapshotUnusable(snapshot.name, error))
            }
        }
        return nil
    }

    /// Whether at least one row opens, so that the keys are those of the store. Throws what a locked class does.
    private func hasRow(
        _ damaged: DamagedDatabase, of store: ItemIdentifier, _ keys: StoreKeys
    ) throws(KeychainError) -> Bool {
        let metadataKeys = MetadataKeys(source)
        let digests = StoreDigests(keys.indexKey)
        var tried = 0
        var next: UInt32 = 1
        while next <= damaged.pageCount, tried < Self.rowsTried {
            var rows: [WholeRow] = []
            damaged.rows(in: next..<next + UInt32(DamagedDatabase.pagesPerRead)) { rows.append($0) }
            next += UInt32(DamagedDatabase.pagesPerRead)
            tried += rows.count
            let unknown = try metadataKeys.fetch(Set(rows.compactMap { UInt32(exactly: $0.metadataKey) }))
            let examiner = RowExaminer(store: store, keys: metadataKeys.all, unknownKeys: unknown, digests: digests)
            for row in rows { if case .whole = examiner.examine(row) { return true } }
        }
        return false
    }

    /// What the new store begins with.
    private struct Record {
        let store: ItemIdentifier
        let keybag: ItemIdentifier
        let sequence: UInt64
        let damaged: String?
        let snapshot: String?
        let isComplete: Bool
        let cause: RecoveryCause
        let requests: [DamagedDatabase.RawRequest]
    }

    private func fill(_ folder: String, _ record: Record) throws(KeychainError) {
        let path = folder + "/" + StoreFiles.database
        try StoreFolder.write([], to: path)
        let writer = try StoreWriter(path: path, clock: clock, health: StoreHealth(), log: log)
        try writer.withDatabase { database in
            try database.inTransaction(.immediate) {
                try database.execute(
                    sql: """
                        INSERT INTO store (id, uuid, keybag, sequence) VALUES (1, \(Self.literal(record.store.bytes)), \
                        \(Self.literal(record.keybag.bytes)), \(record.sequence))
                        """)
                try database.execute(
                    sql: """
                        INSERT INTO recoveries (started, base, damaged, snapshot, is_complete, phase, position, salvaged, \
                        restored, set_aside, lost) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)
                        """,
                    arguments: [
                        clock.hour, Int64(clamping: record.sequence), record.damaged, record.snapshot,
                        record.isComplete,
                        record.damaged == nil ? Recovery.Phase.snapshot.rawValue : Recovery.Phase.damaged.rawValue,
                        // Pages count from 1; of the snapshot, rows behind 0 are next.
                        record.damaged == nil ? 0 : 1,
                    ])
                if case .behind(let marked, let found) = record.cause {
                    try database.execute(
                        sql: "INSERT INTO losses (hour, marked, found) VALUES (?, ?, ?)",
                        arguments: [clock.hour, Int64(clamping: marked), Int64(clamping: found)])
                }
                for request in record.requests {
                    try database.execute(
                        sql: """
                            INSERT OR IGNORE INTO requests (slot, caller, id, digest, status, item, hour) \
                            VALUES (\(request.slot), \(Self.literal(request.caller)), \
                            \(Self.literal(request.identifier)), \(Self.literal(request.digest)), \(request.status), \
                            \(request.item.map(Self.literal) ?? "NULL"), \(request.hour))
                            """)
                }
                return .commit
            }
        }
        // The log goes into the database, so that the folder moves with everything in one file.
        try writer.close()
        _ = try Mark.open(folder, store: record.store, sequence: record.sequence)
        try StoreFolder.sync(folder + "/" + StoreFiles.mark)
        try StoreFolder.sync(path)
    }

    /// Bytes as SQL writes them.
    private static func literal(_ bytes: [UInt8]) -> String { "X'\(LossList.hexadecimal(bytes))'" }
}
