import ChatelaineModel

/// An event for the daemon's log; never holds a secret or an attribute.
package enum StoreEvent: Sendable {
    /// A damaged row was moved to the quarantine, which keeps its bytes; `kind` is the word that its store has for it.
    case quarantined(kind: String?, row: [UInt8], DamageReason)
    /// A damaged row could not be moved to the quarantine.
    case quarantineFailed(KeychainError)
    /// The mark is ahead of the database: acknowledged changes are gone, as after a truncated WAL or a restored old
    /// copy.
    case changesLost(marked: UInt64, found: UInt64)
    /// Changes may be missing from a store that was made anew; `security check` shows the report until it is
    /// acknowledged.
    case changesMissing(LossReport)
    /// Somebody has acknowledged the losses.
    case lossesAcknowledged(LossReport)
    /// The mark was missing beside a database with rows, and was written anew.
    case markMissing
    /// The mark was garbled and is kept beside the new one; whether changes were lost is unknown.
    case markDamaged
    /// The mark belongs to another store, which stood there before; it is kept beside the new one.
    case markOfAnotherStore
    /// The head record was not sealed by this store, or disagrees with its seal.
    case headAltered
    /// Store and mark belong to two histories: one of them was restored from a copy.
    case otherHistory
    /// A file of the daemons is older than the mark's record of it.
    case olderFile(String)
    /// Rows were accepted as they are, since no record says what they should be.
    ///
    /// The store has an earlier format, or its head record is gone.
    case takenIn(rows: Int)
    /// Another process wrote to the store, or exchanged it, while it was in use.
    case exchanged(StoreExchange)
    /// Rows differ from those that the store's own changes wrote.
    case altered([RowAlteration])
    /// The pass through all rows failed; the next start and `security check` make it again.
    case verificationFailed(KeychainError)
    /// The store goes on in a new history.
    case epochBegun(sequence: UInt64)
    /// The mark could not be written; the change itself is safe.
    case markFailed(KeychainError)
    /// The deletion of old tombstones and requests failed; it is tried again.
    case maintenanceFailed(KeychainError)
    /// A damaged row was replaced by the one in a snapshot, which may be older.
    case restored(kind: String?, snapshot: String)
    /// A damaged store was set aside, and a new one is being filled from its remains and from a snapshot.
    case recoveryBegun(folder: String?, snapshot: String?, RecoveryCause)
    /// The recovery stopped with an error; it goes on as soon as it can.
    case recoveryInterrupted(KeychainError)
    case recoveryFinished(RecoveryCounts)
    case snapshotTaken(Snapshot)
    /// A snapshot could not be taken; the store is unchanged, and the snapshot is tried again.
    case snapshotFailed(KeychainError)
    /// A snapshot is unreadable and is ignored.
    case snapshotUnusable(String, KeychainError)
    /// SQLite met damage, and a second opening confirmed it or did not.
    case damageMet(isConfirmed: Bool)
    /// A connection could not get a lock of the database; the store is opened anew.
    case locked
    /// A keychain's file is a copy of one that was open elsewhere: its last changes may be missing.
    case copiedWhileInUse
    /// A value could not be written to a keychain's file or its records; the write is tried again.
    case settlingFailed(KeychainError)
    /// Keys were replaced: rows are being sealed anew.
    case resealingBegun
    /// Resealing stopped with an error; it goes on as soon as it can.
    case resealingInterrupted(KeychainError)
    /// The contents of a row that was set aside and does not open are deleted, since its key is about to be destroyed.
    case cleared
    /// A copy of the store was deleted, because former keys open it.
    case formerCopyDeleted(String)
    /// All rows are sealed by present keys, and no data remains that the former keys open.
    case keysDestroyed(rows: Int, snapshots: Int, folders: Int)
    /// A loss could not be added to the list of losses; the log has it.
    case listFailed(KeychainError)
}

extension StoreEvent: CustomStringConvertible {
    /// Buckets that one line of the log names at most.
    private static let shownAlterations = 8

    /// The line for this event in the list of losses; nil for an event that is not listed by itself.
    var listed: LossList.Event? {
        switch self {
        case .markMissing: .markMissing
        case .markDamaged: .markDamaged
        case .markOfAnotherStore: .markOfAnotherStore
        case .headAltered: .headAltered
        case .otherHistory: .otherHistory
        case .olderFile: .olderFile
        default: nil
        }
    }

    package var description: String {
        switch self {
        case .quarantined(let kind, let row, let reason):
            "a damaged row (\(kind ?? "unknown class") \(Hexadecimal.text(of: row)): \(reason.word)) was moved to the quarantine"
        case .quarantineFailed(let error): "a damaged row could not be moved to the quarantine: \(error.reason)"
        case .changesLost(let marked, let found):
            "acknowledged changes are missing: the mark stands at \(marked), the database at \(found)"
        case .changesMissing(let report): "\(report); “security check --acknowledge” takes note of it"
        case .lossesAcknowledged(let report): "somebody has acknowledged what was lost: \(report)"
        case .markMissing: "the mark was missing beside a database with items, and was written anew"
        case .markFailed(let error): "the mark could not be written; the change is safe: \(error.reason)"
        case .markDamaged:
            "the mark was damaged: whether changes are missing cannot be told; it is kept, and a new one written"
        case .markOfAnotherStore: "the mark is that of another store; it is kept beside the new one"
        case .headAltered:
            "the head record of the database was changed from outside: whether rows were, too, cannot be told"
        case .otherHistory: "the store and its mark are of two histories: one of them was put back from a copy"
        case .olderFile(let name): "the \(name) is older than it was: it was put back from a copy"
        case .takenIn(let rows):
            "\(rows) rows were taken in as they are; from now on their change from outside is noticed"
        case .exchanged(let exchange):
            "the database was written to or exchanged from outside while it was in use: our last change is "
                + "\(exchange.expected), the database stands at \(exchange.found)"
        case .altered(let alterations):
            "rows are not those that were written last, be they damaged, changed, removed or put back: "
                + alterations.prefix(Self.shownAlterations).map(\.description).joined(separator: ", ")
                + (alterations.count > Self.shownAlterations ? " …" : "")
        case .verificationFailed(let error): "the rows could not be compared with what was written: \(error.reason)"
        case .epochBegun(let sequence): "a new history of the store begins with change \(sequence)"
        case .maintenanceFailed(let error): "old tombstones and answers could not be cleared away: \(error.reason)"
        case .restored(let kind, let snapshot):
            "a damaged row (\(kind ?? "unknown class")) was replaced by that of snapshot \(snapshot), which may be "
                + "older"
        case .recoveryBegun(let folder, let snapshot, let cause):
            "\(cause): the store \(folder.map { "was set aside as \($0)" } ?? "is made anew"); its items are taken from there"
                + (snapshot.map { ", and what is damaged from snapshot \($0)" } ?? "; there is no snapshot")
        case .recoveryInterrupted(let error): "the recovery of the store waits: \(error.reason)"
        case .recoveryFinished(let counts): "the recovery of the store is done: \(counts)"
        case .snapshotTaken(let snapshot): "snapshot \(snapshot.name) was taken (\(snapshot.items) items)"
        case .snapshotFailed(let error): "a snapshot could not be taken: \(error.reason)"
        case .snapshotUnusable(let name, let error): "snapshot \(name) cannot be used: \(error.reason)"
        case .damageMet(true): "the database is damaged; a second opening confirms it"
        case .damageMet(false): "the database seemed damaged, and a second opening found it whole; it is opened anew"
        case .locked: "a lock of the database could not be had; it is opened anew"
        case .copiedWhileInUse: "the file was copied while it was open; changes of that moment may be missing"
        case .settlingFailed(let error): "the keychain's file is not yet written to the end: \(error.reason)"
        case .resealingBegun: "keys were replaced; what they have sealed is being sealed anew"
        case .resealingInterrupted(let error): "sealing rows anew waits: \(error.reason)"
        case .cleared:
            "what does not open of a damaged row that was set aside was deleted, since its key is being replaced"
        case .formerCopyDeleted(let name): "\(name) was deleted: it was sealed by keys that are being replaced"
        case .keysDestroyed(let rows, let snapshots, let folders):
            "former keys were destroyed: \(rows) rows were sealed anew since the start, \(snapshots) snapshots and \(folders) stores "
                + "that were set aside were deleted"
        case .listFailed(let error): "a loss could not be listed: \(error.reason)"
        }
    }
}
