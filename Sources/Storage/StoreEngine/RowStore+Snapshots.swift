import ChatelaineModel
import Glibc

/// The copies of the whole store that are taken while it is in use.
extension RowStore {
    /// Pages that are copied at once: 128 KiB, a tenth of a millisecond for which a change may have to wait.
    private static let copiedPages: Int32 = 32
    /// The pause between two steps, so that changes and look-ups go on undisturbed.
    ///
    /// The copy of a store of a million items takes some twenty seconds, and a twentieth of one processor for that
    /// time.
    private static let pauseMicroseconds: UInt32 = 2_000
    /// Steps after which the copy is flushed to the disk: four megabytes, so that no change waits for one large flush.
    private static let stepsPerSync = 32
    /// Vain steps, while another process has the database locked, after which the copy fails: a minute.
    private static let maximumVainSteps = 30_000
    /// The hours between two automatic snapshots.
    static let snapshotHours: Int64 = 24

    /// Takes a snapshot; returns when it is on disk and was found whole.
    ///
    /// - Throws: `errSecNotAvailable` where the disk has no room, or the store is still being recovered; `errSecIO`;
    ///   ``refusal``, since a copy of a file that stays as it is may have gone on with numbers that the file never had.
    package func takeSnapshot(_ reason: SnapshotReason) throws(KeychainError) -> Snapshot {
        if let refusal { throw refusal }
        try requireAllRows()
        let snapshot = try snapshotTurn.withLock { (_) throws(KeychainError) in
            let folder = SnapshotFolder(places, clock: clock)
            let (bytes, isTooMuch) = try StoreFolder.size(self.database).addingReportingOverflow(
                StoreFolder.size(self.folder + "/" + StoreFiles.log))
            let draft = try folder.begin(bytes: isTooMuch ? .max : bytes)
            do throws(KeychainError) {
                try copy(to: draft.database)
                return try folder.finish(draft, schema, reason: reason)
            } catch {
                folder.abandon(draft)
                throw error
            }
        }
        try noteSnapshot(sequence: Int64(clamping: snapshot.sequence), hour: clock.hour)
        log(.snapshotTaken(snapshot))
        return snapshot
    }

    /// Takes the daily snapshot if it is due and something changed since the last one; failures go to the log.
    ///
    /// - Parameter isNeededHere: whether a snapshot is also due where this machine has none. A file that moves between
    ///   machines records when its last snapshot was taken, and leaves that snapshot behind.
    package func takeSnapshotIfDue(isNeededHere: Bool = false) {
        do throws(KeychainError) {
            guard refusal == nil, !isRecovering, !isRetired, try isSnapshotDue(isNeededHere: isNeededHere) else {
                return
            }
            _ = try takeSnapshot(.daily)
        } catch {
            // A retired store needs no snapshot, and the next opening asks again.
            if !isRetired { log(.snapshotFailed(error)) }
        }
    }

    private func isSnapshotDue(isNeededHere: Bool) throws(KeychainError) -> Bool {
        let hour = clock.hour
        let present = isNeededHere ? try SnapshotFolder(places, clock: clock).list() : []
        let isMissing = isNeededHere && !present.contains { $0.store == identifier }
        return try readers.read { (reader) throws(KeychainError) in
            let statement = try PreparedStatement(
                reader.handle, "SELECT sequence, snapshot_sequence, snapshot_hour FROM store WHERE id = 1")
            guard try statement.step(), statement.integer(0) > 0 else { return false }
            guard !isMissing, !statement.isNull(1), !statement.isNull(2) else { return true }
            // The hour comes from the file, and may be any number.
            let (age, isSenseless) = hour.subtractingReportingOverflow(statement.integer(2))
            // A clock that was set back must not keep snapshots away for years.
            return statement.integer(0) != statement.integer(1)
                && (isSenseless || age >= Self.snapshotHours || age < 0)
        }
    }

    /// Records when the last snapshot was taken; the record is no change of the store and has no number.
    private func noteSnapshot(sequence: Int64, hour: Int64) throws(KeychainError) {
        try writer.withDatabase { database in
            try database.execute(
                sql: "UPDATE store SET snapshot_sequence = \(sequence), snapshot_hour = \(hour) WHERE id = 1")
        }
    }

    /// Throws while a recovery still takes rows over, since a copy would lack the others.
    private func requireAllRows() throws(KeychainError) {
        guard !isRecovering else {
            throw KeychainError(
                .notAvailable, "the store is being recovered from damage; it can be copied once that is done")
        }
    }

    /// Copies the whole store into an empty file, in the state that it has when the copy completes.
    ///
    /// - Throws: `errSecNotAvailable` while the store is being recovered, and where the disk has no room; `errSecIO`.
    package func copy(to path: String) throws(KeychainError) {
        try requireAllRows()
        let backup = try writer.beginCopy(to: path)
        defer { writer.endCopy(backup) }
        let file = try FlushedFile(path)
        var vain = 0
        var steps = 0
        while vain < Self.maximumVainSteps {
            let progress = try writer.withConnection { (_) throws(KeychainError) in
                let progress = try backup.step(pages: Self.copiedPages)
                if case .done = progress { try backup.finish() }
                return progress
            }
            switch progress {
            case .more: vain = 0
            case .locked: vain += 1
            case .done: return
            }
            steps += 1
            if steps % Self.stepsPerSync == 0 { try file.flush() }
            usleep(Self.pauseMicroseconds)
        }
        throw KeychainError(cause: .busy, "another process keeps the item store's database locked")
    }
}
