import ChatelaineModel
import GRDB

/// The snapshots of a store, whether the store can be opened or not.
package struct StoreSnapshots: Sendable {
    /// The result of a restoration.
    package struct Restoration: Sendable {
        package var snapshot: Snapshot
        /// The folder that now has the replaced store; nil where there was none.
        package var replaced: String?
    }

    let places: StorePlaces
    let schema: RowSchema
    let clock: StoreClock
    var folder: SnapshotFolder { SnapshotFolder(places, clock: clock) }

    /// Makes the value for a store's snapshots.
    ///
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - mark: as for the store itself.
    ///   - schema: the schema of the kind of store.
    package init(folder: String, mark: String? = nil, schema: RowSchema, clock: StoreClock = .system) {
        self.schema = schema
        places = StorePlaces(store: folder, mark: mark)
        self.clock = clock
    }

    /// The snapshots, the newest first.
    package func list() throws(KeychainError) -> [Snapshot] { try folder.list() }

    /// Deletes a snapshot for good, with its rows of items that have been deleted since.
    ///
    /// - Throws: `errSecItemNotFound` for an unknown name.
    package func delete(_ name: String) throws(KeychainError) -> Snapshot {
        guard let snapshot = try folder[name] else {
            throw KeychainError(.itemNotFound, "there is no snapshot of that name; see “security snapshot list”")
        }
        try folder.remove(name)
        return snapshot
    }

    /// Deletes all snapshots, or all but the newest few; answers which.
    package func deleteAll(keeping kept: Int = 0) throws(KeychainError) -> [Snapshot] {
        let old = try list().dropFirst(max(0, kept))
        for snapshot in old { try folder.remove(snapshot.name) }
        return Array(old)
    }

    /// A copy of a snapshot that is ready to become the store.
    package struct Draft: Sendable {
        package let snapshot: Snapshot
        fileprivate let head: SnapshotReader.Head
        fileprivate let keys: IntegrityKeys
        /// The digest of its rows.
        fileprivate let rows: RowMultisetHash
        /// The least number of rows that differ from the head record's claim.
        fileprivate let altered: Int
        /// The base of the recovery that goes on in the snapshot, or 0.
        fileprivate let recovery: UInt64
        /// One row for each of its keys; the resealer tells whether those keys exist.
        fileprivate let rowsByKey: [WholeRow]
        fileprivate let resealer: (any RowResealer)?

        /// Throws where destroyed keys seal its rows: no row of the restored store would open.
        fileprivate func checkKeys() throws(KeychainError) {
            guard let resealer else { return }
            for row in rowsByKey where try resealer.isUnderDestroyedKey(row) {
                throw KeychainError(
                    cause: .unusableSnapshot,
                    "the snapshot \(snapshot.name) was taken before the keys were replaced; those that it is sealed with are "
                        + "destroyed, so that nothing opens it any more. Nothing was changed")
            }
        }
    }

    /// Checks a snapshot and copies it, while the store is in use; the caller goes on with
    /// ``activate(_:replacing:log:)``.
    ///
    /// - Throws: `errSecItemNotFound`; `errSecNotAvailable` for a damaged snapshot or one whose keys are not at hand,
    ///   and for a full disk.
    package func prepare(_ name: String, kind: any StoreKind) throws(KeychainError) -> Draft {
        guard let snapshot = try folder[name] else {
            throw KeychainError(.itemNotFound, "there is no snapshot of that name; see “security snapshot list”")
        }
        let reader = try SnapshotReader(database: folder.database(of: name), schema: schema)
        try reader.checkStructure()
        let head = try reader.head()
        let examiner = try kind.open(head.store, isEmpty: false)
        let keys = examiner.secrets
        guard head.keybag == nil || head.keybag == keys.keybag else {
            throw KeychainError(
                .notAvailable, "the keybag at hand is not the one that the snapshot was sealed with; put that back")
        }
        let secrets = try IntegrityKeys(keys, schema.layout)
        let (rows, sealed) = try reader.integrity(secrets, of: head.store)
        let isSealed = head.schemaVersion >= schema.firstSealedVersion
        var altered = sealed.map { $0.rows.differences(from: rows).count } ?? (isSealed ? 1 : 0)
        if let sealed, sealed.sequence != head.sequence { altered = max(altered, 1) }
        let recovery = if let sealed { sealed.recovery } else if isSealed { UInt64(0) } else { try reader.recovery() }
        let draft = Draft(
            snapshot: snapshot, head: head, keys: secrets, rows: rows, altered: altered, recovery: recovery,
            rowsByKey: examiner.resealer == nil ? [] : try reader.rowsByKey(), resealer: examiner.resealer)
        try draft.checkKeys()
        let activation = StoreActivation(places: places, clock: clock, purpose: .restoration)
        do throws(KeychainError) {
            let copy = try activation.begin()
            try StoreFolder.copy(folder.database(of: name), to: copy + "/" + StoreFiles.database)
        } catch {
            activation.abandon()
            throw error
        }
        return draft
    }

    /// Makes a draft the store; the present store is moved to the quarantine and kept.
    ///
    /// - Parameter present: the open store, if there is one; it takes no more changes.
    /// - Throws: the errors of the disk. The store is then unchanged, and has to be opened anew.
    package func activate(
        _ draft: Draft, replacing present: RowStore?, log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) -> Restoration {
        let activation = StoreActivation(places: places, clock: clock, purpose: .restoration)
        do throws(KeychainError) {
            // The retirement comes before the choice of the number, so that no later change gets a higher one.
            present?.retire()
            // From here on no keys are destroyed; they may have been since the snapshot was copied.
            try draft.checkKeys()
            let sequence = max(draft.head.sequence, try highestSequence(of: present, draft.keys)) + 1
            try finish(activation.folder, draft, sequence: sequence, log: log)
            let aside = try activation.quarantineName()
            try LossList(places, clock: clock).append([
                (
                    .storeRestored,
                    [("snapshot", .text(draft.snapshot.name))] + (aside.map { [("folder", .text($0))] } ?? [])
                )
            ])
            // Losses stay reported until somebody acknowledges them, even those of a recovery that ends here.
            try UnacknowledgedLosses(places, clock: clock).update { reports in
                for index in reports.indices { reports[index].isOpen = false }
                reports.removeAll(where: \.isNothing)
                guard draft.altered > 0 else { return }
                reports.append(
                    LossReport(
                        cause: .alteration, found: clock.now(), base: sequence, changes: 0, altered: draft.altered))
            }
            try activation.activate(settingAsideAs: aside)
            log(.epochBegun(sequence: sequence))
            return Restoration(snapshot: draft.snapshot, replaced: aside.map { "\(places.quarantine)/\($0)" })
        } catch {
            activation.abandon()
            throw error
        }
    }

    /// The highest number of a change in the mark or the present store.
    private func highestSequence(of present: RowStore?, _ keys: IntegrityKeys) throws(KeychainError) -> UInt64 {
        var highest: UInt64 = 0
        if case .state(let state) = try HighWaterMark.find(places, keys) { highest = state.sequence }
        // The mark stands for a store that cannot be read.
        if let present, let found = try? present.sequence(), found <= HighWaterMark.highestClaim {
            highest = max(highest, found)
        }
        return highest
    }

    private func finish(
        _ folder: String, _ draft: Draft, sequence: UInt64, log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) {
        let path = folder + "/" + StoreFiles.database
        let store = draft.head.store
        var epoch = IntegrityHead.noEpoch
        if case .state(let state) = try HighWaterMark.find(places, draft.keys), state.store == store {
            epoch = state.epoch
        }
        let head = IntegrityHead(after: epoch, sequence: sequence, recovery: draft.recovery, rows: draft.rows)
        let sealed = try draft.keys.seal(head, of: store)
        let writer = try StoreWriter(path: path, schema: schema, clock: clock, health: StoreHealth(), log: log)
        try writer.prepare { (statements) throws(KeychainError) in
            try StoreIntegrity.write(sequence, sealed, statements)
        }
        try writer.close()
        try StoreFolder.sync(path)
    }
}

extension RowStore {
    /// The number of the last change.
    package func sequence() throws(KeychainError) -> UInt64 {
        try readers.read { (reader) throws(KeychainError) in try reader.statements.sequence() }
    }
}
