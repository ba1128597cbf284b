import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine
import SystemCalls

/// A snapshot in the place of the keychain: an older copy, as if its owner had put one back.
///
/// It has the password and the access objects of then, and lacks what came later; the mark has both told at the next unlock, as of any older copy. So no key is
/// needed, and nothing of it is believed before it is unlocked. What stood there is kept whole, with whatever log it has.
extension FileKeychain {
    /// What a restoration did.
    package struct Restoration: Sendable {
        package let snapshot: Snapshot
        /// The folder in which the keychain lies that was there before.
        package let replaced: String
    }

    /// The file that it is written back to, while it is open and lies elsewhere.
    package var openFile: LentFile? { state.withLock { $0.opened?.lent?.file } }

    /// Makes a snapshot the keychain, which is locked then; on disk when it returns.
    ///
    /// - Parameters:
    ///   - lent: its file, where it lies elsewhere.
    ///   - lock: locks it, once it is certain that the snapshot can be used.
    /// - Throws: `errSecItemNotFound`; `errSecNotAvailable` for a snapshot that is damaged, a keychain that somebody uses, and a full disk. What stands there is
    ///   the keychain then, as it was.
    package func restore(
        _ name: String, lending lent: LentFile? = nil, _ lock: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> Restoration {
        let lent = try required(lent)
        let keychain = try header().keychain
        let draft = try KeychainDraft(places)
        defer { try? draft.remove() }
        let snapshots = snapshots(of: keychain)
        let snapshot = try places.open.withSnapshots(of: keychain) { () throws(KeychainError) in
            try snapshots.copy(name, of: keychain, to: draft.database, with: .inUse(false))
        }
        guard try UnverifiedItems(draft.database, hasLog: false).properties().header != nil else {
            throw KeychainError(
                cause: .unusableSnapshot, "the snapshot \(name) has no header of a keychain; nothing was changed")
        }
        try lock()
        return try turn.withLock { (_) throws(KeychainError) in
            guard settle(attempts: Self.attempts), state.withLock({ $0.opened == nil }) else {
                throw KeychainError(
                    cause: .busy, status: .notAvailable, "\(path) is being used just now; lock it, and try again")
            }
            try places.open.begin(keychain, at: path)
            defer { places.open.end(keychain) }
            let aside = try snapshots.placeAside()
            try snapshots.note(snapshot, replacing: aside)
            try moving { () throws(KeychainError) in
                if let lent {
                    try locking(lent) { () throws(KeychainError) in try replaceContent(of: lent, by: draft, aside) }
                } else {
                    try replaceFile(by: draft, of: keychain, aside)
                }
            }
            return Restoration(snapshot: snapshot, replaced: aside)
        }
    }

    /// The file goes aside by its name in our folder, with the log that lies there; then the draft takes its place by one rename.
    ///
    /// Between the two it has its place and another name in the quarantine, by which it is known (``FileCheckOut/standing(of:_:)``).
    private func replaceFile(
        by draft: KeychainDraft, of keychain: StoreIdentifier, _ aside: String
    ) throws(KeychainError) {
        let resting = try resting()
        guard resting.keychain == keychain else { throw KeychainFile.exchanged(path) }
        let checkOut = FileCheckOut(places: places, keychain: keychain)
        if resting.checkOut == nil { try checkOut.begin(resting.file) }
        do throws(KeychainError) {
            try StoreFolder.move(checkOut.folder, to: aside)
            guard try KeychainFile.identity(at: path) == resting.file.identity else {
                throw KeychainFile.exchanged(path)
            }
            guard StoreFolder.repeated({ rename(draft.database, path) }) == 0 else {
                throw KeychainError(system: errno, path)
            }
        } catch {
            if try StoreFolder.exists(aside) { try StoreFolder.move(aside, to: checkOut.folder) }
            if resting.checkOut == nil { try checkOut.end() }
            throw error
        }
        try StoreFolder.sync(KeychainFile.folder(of: path))
    }

    /// What is in the file goes aside as the copy that is made of it for every unlock. The draft becomes the work copy, and is written into the file as at a
    /// lock: whoever opens the file after an end in the middle goes on with it.
    private func replaceContent(
        of lent: LentFile, by draft: KeychainDraft, _ aside: String
    ) throws(KeychainError) {
        let resting = try resting(lent)
        defer { try? resting.draft?.remove() }
        let checkOut = FileCheckOut(places: places, keychain: resting.keychain)
        if let left = resting.checkOut {
            try StoreFolder.move(left.folder, to: aside)
        } else if let present = resting.draft {
            try checkOut.makeRoom(for: lent.identity, path)
            try StoreFolder.move(present.folder, to: aside)
        }
        try lent.makePrivate()
        var record = LentRecord(keychain: resting.keychain, token: CheckOutToken(), file: lent.identity, path: path)
        (record.isAnnounced, record.isRestored) = (true, true)
        try StoreFolder.move(draft.folder, to: checkOut.folder)
        do throws(KeychainError) {
            try record.write(places)
            try checkIn(checkOut, Lending(file: lent, record: record))
        } catch {
            // What was not begun leaves nothing; what was is gone on with.
            let torn = try lent.withContent { (content) throws(KeychainError) in try content.torn() }
            if torn == nil, try StoreFolder.exists(checkOut.folder) {
                try StoreFolder.removeAll(checkOut.folder)
                try LentRecord.remove(of: resting.keychain, places)
            }
            throw error
        }
    }
}
