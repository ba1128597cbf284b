import ChatelaineModel
import Glibc

/// The end of sealing rows anew: nothing that a former key opens is left, and the keys are destroyed.
extension RowStore {
    /// Replaces what else was sealed by former keys, proves that no row needs them, and destroys them.
    ///
    /// Answers whether there is more to do, as where a row came back meanwhile.
    func endResealing(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        do throws(KeychainError) { return try end(resealer) } catch {
            // Connections that begin and end here take locks, too.
            writer.noteLocks()
            throw error
        }
    }

    private func end(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        let keys = resealing.state.withLock { $0.keys }
        // Before a copy is made that would have to be replaced in its turn.
        if try goesOn(with: keys.ids) { return true }
        // What was sealed anew is on disk before anything else goes, be it an older copy or a key.
        try writer.transaction { (_) throws(KeychainError) -> WriteOutcome<Void> in .commit(()) }
        try truncateLog()
        let snapshots = try replaceSnapshots(under: keys.ids)
        let folders = try deleteFormerStores()
        // From here on no row comes back, from wherever somebody may have read it.
        writer.bar(keys.ids, strictly: true)
        if try goesOn(with: keys.ids) { return true }
        guard try resealer.supersededKeys().ids == keys.ids else {
            // Keys were replaced once more.
            resealing.state.withLock { $0.begin(.none) }
            return true
        }
        // Whoever retires the store waits for this, or comes before it: a snapshot under these keys is made the store with them or never.
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

    /// Whether a row is left that names one of these keys: then the pass goes on with it.
    ///
    /// Throws where the same was done before, and nothing has come of it.
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

    /// A row, or one that was set aside, that names one of these keys; in one state of the store, that after the last change.
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
            // The snapshot of SQLite is taken with the first look.
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

    /// How long another process that reads the database is waited for before the lock counts as one of our own.
    private static let lockPatience: Double = 600

    /// Cuts SQLite's log to nothing: what was read from it before is not to be found there any more.
    private func truncateLog() throws(KeychainError) {
        if try writer.truncateLog() { return }
        // One of ours that the system did not release goes with our connections.
        let begun = resealing.state.withLock { $0.begun }
        if let begun, clock.elapsed() - begun >= Self.lockPatience {
            health.noteLock()
            resealing.state.withLock { $0.begun = clock.elapsed() }
        }
        throw KeychainError(
            cause: .busy, "somebody else reads the item store's database, so that its log cannot be cleared away")
    }

    // MARK: Copies of the store

    /// Sees to it that there is a snapshot of now, and deletes those that former keys open; answers how many.
    ///
    /// The newest one goes only after another is on disk. Where the disk has no room for both, the older ones make room.
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
        // Those that are too many went with the new one.
        for snapshot in former where try folder[snapshot.name] != nil { try delete(snapshot, in: folder) }
        try folder.removeUnlisted()
        try folder.clearUnfinished()
        return former.count
    }

    private func delete(_ snapshot: Snapshot, in folder: SnapshotFolder) throws(KeychainError) {
        try folder.remove(snapshot.name)
        log(.formerCopyDeleted("snapshot \(snapshot.name)"))
    }

    /// Whether a former key opens rows of a copy; one that cannot be read may have such rows.
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

    /// Deletes stores that were set aside, and drafts that came to nothing; answers how many. Nothing opens them once the keys are gone.
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
    /// Whether a row of it names one of these keys, be it one that was set aside.
    func names(_ keys: Set<Int64>) throws(KeychainError) -> Bool {
        for name in [EngineStatement.keyNames, .quarantinedKeyNames] {
            let statement = try prepared(name.sql(for: schema.layout))
            if try RowStore.firstRow(naming: keys, statement, schema.layout) != nil { return true }
        }
        return false
    }

    /// A row of each key that rows are found by, so that whoever has keys can say whether it still opens.
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

    /// As many keys as a keybag has.
    private static let maximumKeys = 4096
}
