import ChatelaineModel
import GRDB

/// The beginning of a recovery, which sets a damaged store aside and puts an empty one of the same identity in its
/// place.
///
/// The new store has the identifier of the old one, to which all seals are bound, and records its sources. The
/// beginning takes one pass over the damaged file; ``Recovery`` fills the store later. Nothing is moved unless
/// something can be saved: a row that opens, or a snapshot.
struct RecoveryStart {
    /// Rows that are tried before it counts as proven that none opens.
    private static let rowsTried = 4096

    /// What the beginning found out that the recovery can use.
    struct Outlook {
        /// Whether the damaged file has the state after the last change, as far as it is readable.
        let isCurrent: Bool
        let index: RecoveryIndex?
        let claims: ChainClaims?
    }

    let places: StorePlaces
    /// The columns of rows in the damaged file.
    let layout: RowLayout
    let kind: any StoreKind
    let clock: StoreClock
    let log: @Sendable (StoreEvent) -> Void

    /// Replaces the store by an empty one, and reports what may be missing.
    ///
    /// - Returns: the findings on the way; nil where nothing was done, because only a foreign mark says that changes
    ///   are missing.
    /// - Throws: `refusal` where nothing can be saved; the errors of disk and key custodian. The store is then
    ///   unchanged.
    func begin(_ cause: RecoveryCause, otherwise refusal: KeychainError) throws(KeychainError) -> Outlook? {
        let damaged = try StoreFolder.exists(places.store) ? DamagedDatabase(folder: places.store, layout: layout) : nil
        var marked = try HighWaterMark.claim(places)
        // The snapshot decides which rows count as recent, and the store's identifier decides on the snapshot.
        var snapshot = try marked.map { (marked) throws(KeychainError) in try newestSnapshot(of: marked.store) } ?? nil
        var survey = damaged?.survey(since: snapshot?.sequence ?? 0, indexing: true) ?? DamagedDatabase.Survey()
        let index = survey.index.take()
        if let claimed = marked, let store = survey.store, store != claimed.store {
            // The opening reports the foreign mark, which says nothing of this store.
            marked = nil
        }
        let known = marked?.store ?? survey.store
        if marked == nil { snapshot = try newestSnapshot(of: known) }
        guard let store = known ?? snapshot?.store, survey.rows > 0 || snapshot != nil else { throw refusal }
        let examiner = try kind.open(store, isEmpty: false)
        let keys = examiner.secrets
        let secrets = try IntegrityKeys(keys, schema.layout)
        let mark = try HighWaterMark.find(places, secrets)
        if mark == .damaged { marked = nil }
        var epoch = IntegrityHead.noEpoch
        // The claim may have been another slot's, which nobody of ours has written.
        if case .state(let state) = mark, state.store == store {
            (epoch, marked) = (state.epoch, (state.sequence, state.store))
        }
        var cause = cause
        if case .behind(_, let found) = cause {
            guard let marked, marked.sequence > found else { return nil }
            cause = .behind(marked: marked.sequence, found: found)
        }
        if snapshot == nil {
            guard let damaged, try hasRow(damaged, examiner) else { throw refusal }
        }
        let evidence = try evidence(damaged, survey, marked?.sequence, snapshot)
        // The appearance that nothing is missing counts once the rows are proven to be the last written ones.
        let proof =
            evidence.changes == 0
            ? try RecoveryProof(
                of: store, secrets, evidence, damaged, survey, snapshot, SnapshotFolder(places, clock: clock), schema)
            : nil
        let sequence = max(marked?.sequence ?? 0, min(evidence.known, HighWaterMark.highestStart)) + 1
        let head = IntegrityHead(
            after: epoch, sequence: sequence, recovery: sequence, owed: proof?.sum, rows: RowMultisetHash())
        let activation = StoreActivation(places: places, clock: clock, purpose: .recovery)
        let name = try activation.quarantineName()
        do throws(KeychainError) {
            let folder = try activation.begin()
            try fill(
                folder,
                Record(
                    store: store, keybag: keys.keybag, sequence: sequence, head: try secrets.seal(head, of: store),
                    damaged: damaged == nil ? nil : name, snapshot: snapshot?.name, isComplete: evidence.isComplete,
                    cause: cause, hour: survey.hour, requests: survey.requests))
        } catch {
            activation.abandon()
            throw error
        }
        var report = LossReport(
            cause: .recovery, found: clock.now(), base: sequence, changes: evidence.changes, since: evidence.since,
            sinceDate: evidence.sinceDate, isOpen: true)
        // A store of an earlier format has no seal that could prove anything.
        if let proof, keys.isMarked || schema.isAlwaysSealed {
            if let altered = proof.altered { report.altered = altered } else { report.changes = nil }
        }
        try tell(report, cause, name, snapshot)
        try activation.activate(settingAsideAs: name)
        log(.recoveryBegun(folder: name.map { "\(places.quarantine)/\($0)" }, snapshot: snapshot?.name, cause))
        log(.epochBegun(sequence: sequence))
        if !report.isNothing { log(.changesMissing(report)) }
        return Outlook(isCurrent: evidence.isCurrent, index: index, claims: damaged?.claims.withLock { $0 })
    }

    private func evidence(
        _ damaged: DamagedDatabase?, _ survey: DamagedDatabase.Survey, _ marked: UInt64?, _ snapshot: Snapshot?
    ) throws(KeychainError) -> RecoveryEvidence {
        // A recovery that replaced its store went on with its own number: some rows are in a store that was set aside
        // before. A recovery that a crash stopped before the replacement has a higher number than any change.
        let reached = max(marked ?? 0, survey.sequence)
        let wasOpen = try UnacknowledgedLosses(places, clock: clock).read()?.contains {
            $0.isOpen && $0.cause == .recovery && $0.base <= reached
        }
        let reader = try snapshot.map { (snapshot) throws(KeychainError) in
            try SnapshotReader(
                database: SnapshotFolder(places, clock: clock).database(of: snapshot.name), schema: schema)
        }
        return try RecoveryEvidence(
            damaged, survey, marked: marked, snapshot: snapshot, wasRecovering: survey.isRecovering || wasOpen == true
        ) { (identifier) throws(KeychainError) in try reader?.version(of: identifier) ?? 0 }
    }

    /// Lists the beginning of the recovery and its possible losses, and keeps the report until it is acknowledged.
    ///
    /// The report comes before the replacement of the store, so that no crash can suppress it.
    private func tell(
        _ report: LossReport, _ cause: RecoveryCause, _ name: String?, _ snapshot: Snapshot?
    ) throws(KeychainError) {
        var fields: [(name: String, value: LossList.Value)] = []
        if let name { fields.append(("folder", .text(name))) }
        if let snapshot { fields.append(("snapshot", .text(snapshot.name))) }
        if case .behind(let marked, let found) = cause {
            fields += [("marked", .number(Int64(clamping: marked))), ("found", .number(Int64(clamping: found)))]
        }
        var lines: [(event: LossList.Event, fields: [(name: String, value: LossList.Value)])] = [
            (.recoveryBegun, fields)
        ]
        if report.changes != 0 { lines.append((.changesMissing, report.listed)) }
        try LossList(places, clock: clock).append(lines)
        try UnacknowledgedLosses(places, clock: clock).update { reports in
            // The report of a recovery that never replaced its store, or that an earlier copy of the same file had.
            reports.removeAll {
                $0.cause == .recovery && ($0.isOpen && $0.base >= report.base || $0.base == report.base)
            }
            // Reports of a recovery that this one replaces stay: their losses are still missing.
            for index in reports.indices { reports[index].isOpen = false }
            reports.append(report)
        }
    }

    /// The newest readable snapshot of this store, or of any store where the identifier is unknown.
    private func newestSnapshot(of store: StoreIdentifier?) throws(KeychainError) -> Snapshot? {
        let folder = SnapshotFolder(places, clock: clock)
        for snapshot in try folder.list() where store == nil || snapshot.store == store {
            do throws(KeychainError) {
                let head = try SnapshotReader.reading(folder.database(of: snapshot.name), schema) {
                    (reader) throws(KeychainError) in try reader.head()
                }
                if head.store == snapshot.store, head.sequence == snapshot.sequence { return snapshot }
            } catch {
                // The disk may yield the snapshot later: beginning without it would lose its rows.
                guard error.isUnusableSnapshot else { throw error }
                log(.snapshotUnusable(snapshot.name, error))
            }
        }
        return nil
    }

    /// Whether at least one row opens, so that the keys belong to the store.
    ///
    /// A locked class is an error.
    private func hasRow(
        _ damaged: DamagedDatabase, _ examiner: any RowExaminer
    ) throws(KeychainError) -> Bool {
        var tried = 0
        var isFound = false
        try damaged.forEachBatch(in: [1..<damaged.pageCount + 1]) { (rows) throws(KeychainError) in
            tried += rows.count
            for verdict in try examiner.examine(rows, withSecrets: false) {
                if case .whole = verdict { isFound = true }
            }
            return !isFound && tried < Self.rowsTried
        }
        return isFound
    }

    private var schema: RowSchema { kind.schema }

    /// The initial contents of the new store.
    private struct Record {
        let store: StoreIdentifier
        let keybag: KeybagIdentifier
        let sequence: UInt64
        let head: SealedHead
        let damaged: String?
        let snapshot: String?
        let isComplete: Bool
        let cause: RecoveryCause
        let hour: Int64?
        let requests: [DamagedDatabase.RawRequest]
    }

    private func fill(_ folder: String, _ record: Record) throws(KeychainError) {
        let path = folder + "/" + StoreFiles.database
        try StoreFolder.write([], to: path)
        let writer = try StoreWriter(path: path, schema: schema, clock: clock, health: StoreHealth(), log: log)
        try writer.withDatabase { database in
            try database.inTransaction(.immediate) {
                try database.execute(
                    sql: """
                        INSERT INTO store (id, uuid, keybag, sequence, hour, head) VALUES (1, \
                        \(Self.literal(record.store.bytes)), \(Self.literal(record.keybag.bytes)), \
                        \(record.sequence), \(record.hour.map(String.init) ?? "NULL"), \
                        \(Self.literal(record.head.bytes)))
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
                        // Pages count from 1; in the snapshot, the rows after 0 are next.
                        record.damaged == nil ? 0 : 1,
                    ])
                if schema.hasProperties {
                    try Self.insert(
                        kind.properties.map { [.integer(Int64($0)), .blob($1)] },
                        "INSERT INTO properties (id, value) VALUES (?1, ?2)", database)
                }
                if case .behind(let marked, let found) = record.cause {
                    try database.execute(
                        sql: "INSERT INTO losses (hour, marked, found) VALUES (?, ?, ?)",
                        arguments: [clock.hour, Int64(clamping: marked), Int64(clamping: found)])
                }
                try Self.insert(
                    record.requests.map { request in
                        [
                            .integer(request.slot), .blob(request.name), request.digest.map { .blob($0) } ?? .null,
                            .integer(request.status), request.item.map { .blob($0) } ?? .null,
                        ]
                    },
                    "INSERT OR IGNORE INTO requests (slot, name, digest, status, item) VALUES (?1, ?2, ?3, ?4, ?5)",
                    database)
                return .commit
            }
        }
        // Closing moves the log into the database, so that the moved folder has everything in one file.
        try writer.close()
        try StoreFolder.sync(path)
    }

    /// Inserts rows whose values come from a file, row by row.
    ///
    /// As literals, the values of one row could exceed the longest statement (``ReadConnection``).
    private static func insert(_ rows: [[RowValue]], _ sql: String, _ database: Database) throws(KeychainError) {
        guard let handle = database.sqliteConnection else {
            throw KeychainError(.internalComponent, "the database closed while it was filled")
        }
        let statement = try PreparedStatement(handle, sql)
        for row in rows {
            for (index, value) in row.enumerated() { try statement.bind(Int32(1 + index), value) }
            try statement.run()
        }
    }

    /// A few bytes as an SQL literal.
    private static func literal(_ bytes: [UInt8]) -> String { "X'\(Hexadecimal.text(of: bytes))'" }
}
