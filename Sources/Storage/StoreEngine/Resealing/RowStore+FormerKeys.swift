import ChatelaineModel
import Glibc

/// The end of resealing: no data is left that a former key opens, and the keys are destroyed.
extension RowStore {
    /// Replaces the remaining copies under former keys, proves that no row needs those keys, and destroys them.
    ///
    /// Answers whether there is more to do, as where a row came back meanwhile.
    func endResealing(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        do throws(KeychainError) { return try end(resealer) } catch {
            // The connections that open and close here take locks, too.
            writer.noteLocks()
            throw error
        }
    }

    private func end(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        let keys = resealing.state.withLock { $0.keys }
        // The check comes before a new copy, which would otherwise have to be replaced again.
        if try goesOn(with: keys.ids) { return true }
        // Resealed rows are on disk before an older copy or a key is deleted.
        try writer.transaction { (_) throws(KeychainError) -> WriteOutcome<Void> in .commit(()) }
        try truncateLog()
        let snapshots = try replaceSnapshots(under: keys.ids)
        let folders = try deleteFormerStores()
        // From here on no row under these keys can come back from any source.
        writer.bar(keys.ids, strictly: true)
        if try goesOn(with: keys.ids) { return true }
        guard try resealer.supersededKeys().ids == keys.ids else {
            // Keys were replaced once more.
            resealing.state.withLock { $0.begin(.none) }
            return true
        }
        // A retirement of the store waits for this, or comes first and keeps the keys: a snapshot under these keys
        // becomes the store while they exist, or never.
        try writer.withConnection { (_) throws(KeychainError) in try resealer.destroy(keys.ids) }
        let resealed = resealing.state.withLock { state in
            state.begin(.none)
            state.keys = SupersededKeys()
            (state.vain, state.changed) = (nil, 0)
            return state.resealed
        }
        log(.keysDestroyed(rows: resealed, snapshots: snapshots, folders: folders))
        return false
    }

    /// Whether a row still names one of these keys; the pass then goes on with that row.
    ///
    /// Throws where the last pass changed nothing.
    private func goesOn(with keys: Set<Int64>) throws(KeychainError) -> Bool {
        guard let (phase, position) = try firstRow(naming: keys) else { return false }
        let isProgress = resealing.state.withLock { state in
            defer {
                state.begin(phase, after: position - 1)
                state.changed = 0
            }
            return state.changed > 0
        }
        guard isProgress else {
            throw KeychainError(
                .notAvailable, "a row can neither be sealed anew nor be set aside; see “security check”")
        }
        return true
    }

    /// The first row, or row in the quarantine, that names one of these keys, in the state after the last change.
    private func firstRow(naming keys: Set<Int64>) throws(KeychainError) -> (phase: Resealing.Phase, row: Int64)? {
        try withOwnConnection { (connection) throws(KeychainError) in try firstRow(naming: keys, connection) }
    }

    private func firstRow(
        naming keys: Set<Int64>, _ connection: ReadConnection
    ) throws(KeychainError) -> (phase: Resealing.Phase, row: Int64)? {
        let statements = StatementCache(connection.handle, schema)
        defer { try? statements[.end].run() }
        try writer.withConnection { (_) throws(KeychainError) in
            try statements[.begin].run()
            // SQLite takes the snapshot at the first read.
            _ = try statements.sequence()
        }
        for (phase, name) in [(Resealing.Phase.rows, EngineStatement.keyNames), (.setAside, .quarantinedKeyNames)] {
            if let row = try Self.firstRow(naming: keys, statements[name], layout) { return (phase, row) }
        }
        return nil
    }

    static func firstRow(
        naming keys: Set<Int64>, _ statement: PreparedStatement, _ layout: RowLayout
    ) throws(KeychainError) -> Int64? {
        defer { statement.reset() }
        statement.bind(1, .min)
        statement.bind(2, -1)
        while try statement.step() {
            if layout.isNamed(keys, statement) { return statement.integer(0) }
        }
        return nil
    }

    /// How long another reader of the database may delay the end, before its lock counts as one of this process;
    /// seconds.
    private static let lockPatience: Double = 600

    /// Empties SQLite's log, which then no longer has earlier states of pages.
    private func truncateLog() throws(KeychainError) {
        if try writer.truncateLog() { return }
        // A lock of this process that the system did not release goes away with the connections.
        let begun = resealing.state.withLock { $0.begun }
        if let begun, clock.elapsed() - begun >= Self.lockPatience {
            health.noteLock()
            resealing.state.withLock { $0.begun = clock.elapsed() }
        }
        throw KeychainError(
            cause: .busy, "somebody else reads the item store's database, so that its log cannot be cleared away")
    }

    // MARK: Copies of the store

    /// Ensures that a present snapshot exists, and deletes those that former keys open; answers how many.
    ///
    /// The newest of them is deleted only after another is on disk. Where the disk has no room for both, the older ones
    /// make room.
    private func replaceSnapshots(under keys: Set<Int64>) throws(KeychainError) -> Int {
        let folder = SnapshotFolder(places, clock: clock)
        var former: [Snapshot] = []
        var hasNew = false
        for snapshot in try folder.list() where snapshot.store == identifier {
            if try isUnder(keys, folder.database(of: snapshot.name)) { former.append(snapshot) } else { hasNew = true }
        }
        if !hasNew {
            do throws(KeychainError) { _ = try takeSnapshot(.newKeys) } catch {
                guard former.count > 1, error.cause == .full, !isRetired else { throw error }
                for snapshot in former.dropFirst() { try delete(snapshot, in: folder) }
                former = Array(former.prefix(1))
                _ = try takeSnapshot(.newKeys)
            }
        }
        // The limits for snapshots may have removed some already.
        for snapshot in former where try folder[snapshot.name] != nil { try delete(snapshot, in: folder) }
        try folder.removeUnlisted()
        try folder.clearUnfinished()
        return former.count
    }

    private func delete(_ snapshot: Snapshot, in folder: SnapshotFolder) throws(KeychainError) {
        try folder.remove(snapshot.name)
        log(.formerCopyDeleted("snapshot \(snapshot.name)"))
    }

    /// Whether a former key opens rows of a copy; an unreadable copy may have such rows.
    private func isUnder(_ keys: Set<Int64>, _ database: String) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            return try SnapshotReader.reading(database, schema) { (reader) throws(KeychainError) in
                try reader.names(keys)
            }
        } catch {
            guard error.isUnusableSnapshot else { throw error }
            return true
        }
    }

    /// Deletes stores in the quarantine, and abandoned drafts; answers how many.
    ///
    /// Nothing opens them once the keys are gone.
    private func deleteFormerStores() throws(KeychainError) -> Int {
        for purpose in StoreActivation.Purpose.allCases {
            let draft = places.draft + purpose.rawValue
            if try StoreFolder.kind(of: draft) == S_IFDIR { try StoreFolder.remove(draft) }
        }
        guard try StoreFolder.exists(places.quarantine) else { return 0 }
        var count = 0
        for name in try StoreFolder.names(in: places.quarantine).sorted() where StoreActivation.isSetAside(name) {
            let path = "\(places.quarantine)/\(name)"
            guard try StoreFolder.kind(of: path) == S_IFDIR else { continue }
            try lossList.append([(.storeDeleted, [("folder", .text(name))])])
            try StoreFolder.remove(path)
            log(.formerCopyDeleted("the store that was set aside as \(name)"))
            count += 1
        }
        if count > 0 { try StoreFolder.sync(places.quarantine) }
        return count
    }
}

extension SnapshotReader {
    /// Whether a row, in the table or the quarantine, names one of these keys.
    func names(_ keys: Set<Int64>) throws(KeychainError) -> Bool {
        for name in [EngineStatement.keyNames, .quarantinedKeyNames] {
            let statement = try prepared(name.sql(for: schema.layout))
            if try RowStore.firstRow(naming: keys, statement, schema.layout) != nil { return true }
        }
        return false
    }

    /// One row for each key that rows name, so that a caller with keys can tell whether the row still opens.
    func rowsByKey() throws(KeychainError) -> [WholeRow] {
        guard let place = schema.layout.keyNames.first else { return [] }
        let (table, key) = (schema.layout.table, schema.layout.name(place))
        let naming = try prepared("SELECT DISTINCT \(key) FROM \(table) LIMIT \(Self.maximumKeys)")
        defer { naming.reset() }
        var rows: [WholeRow] = []
        while try naming.step() {
            let reading = try prepared("SELECT \(schema.layout.list) FROM \(table) WHERE \(key) = ?1 LIMIT 1")
            defer { reading.reset() }
            reading.bind(1, naming.integer(0))
            if try reading.step() { rows.append(WholeRow(reading, schema.layout)) }
        }
        return rows
    }

    /// The most keys of a keybag.
    private static let maximumKeys = 4096
}
