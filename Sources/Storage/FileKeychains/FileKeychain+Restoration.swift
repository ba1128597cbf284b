import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine
import SystemCalls

/// The replacement of a keychain by a snapshot: an older copy, as if its owner had put one back.
///
/// The snapshot has the password and the access objects of its time, and lacks later changes. The mark makes the next
/// unlock report both, as for any older copy. So the restoration needs no key, and nothing of the snapshot is trusted
/// before the unlock. The replaced keychain is kept whole, with its log.
extension FileKeychain {
    /// The result of a restoration.
    package struct Restoration: Sendable {
        package let snapshot: Snapshot
        /// The folder that now has the replaced keychain.
        package let replaced: String
    }

    /// The lent file of an open keychain elsewhere; nil for any other.
    package var openFile: LentFile? { state.withLock { $0.opened?.lent?.file } }

    /// Makes a snapshot the keychain, which is then locked; on disk when it returns.
    ///
    /// - Parameters:
    ///   - lent: the file of a keychain elsewhere.
    ///   - lock: locks the keychain, once the snapshot is known to be usable.
    /// - Throws: `errSecItemNotFound`; `errSecNotAvailable` for a damaged snapshot, a keychain in use, and a full disk.
    ///   The keychain is then unchanged.
    package func restore(
        _ name: String, lending lent: LentFile? = nil, _ lock: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> Restoration {
        let lent = try required(lent)
        try lent?.requireWritable()
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
                    try locking(lent) { () throws(KeychainError) in
                        try places.open.withSnapshots(of: keychain) { () throws(KeychainError) in
                            try replaceContent(of: lent, by: draft, aside)
                        }
                    }
                } else {
                    try replaceFile(by: draft, of: keychain, aside)
                }
            }
            return Restoration(snapshot: snapshot, replaced: aside)
        }
    }

    /// Moves the file aside by its second name, with its log, and puts the draft in its place by one rename.
    ///
    /// Between both steps the file stands in its place and has another name in the quarantine, which identifies it
    /// (``FileCheckOut/standing(of:_:)``).
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

    /// Moves a copy of the file's contents aside, and writes the draft into the file.
    ///
    /// Every unlock makes such a copy. The draft becomes the work copy, and is written into the file as a lock does.
    /// After a crash the next opening goes on with the work copy. A work copy that was there already has changes that
    /// the file lacks, and comes back unless the restoration succeeds.
    private func replaceContent(
        of lent: LentFile, by draft: KeychainDraft, _ aside: String
    ) throws(KeychainError) {
        let resting = try resting(lent)
        defer { try? resting.draft?.remove() }
        let checkOut = FileCheckOut(places: places, keychain: resting.keychain)
        try lent.makePrivate()
        var former = resting.checkOut == nil ? nil : try LentRecord.read(of: resting.keychain, places)
        guard resting.checkOut == nil || former != nil else { throw KeychainFile.exchanged(path) }
        former?.replaced = KeychainFile.name(of: aside)
        do throws(KeychainError) {
            if let left = resting.checkOut {
                try former?.write(places)
                try StoreFolder.move(left.folder, to: aside)
            } else if let present = resting.draft {
                try checkOut.makeRoom(for: lent.identity, path)
                try StoreFolder.move(present.folder, to: aside)
            }
            // A file that lacks the changes of a work copy names its token, and goes on with the snapshot instead.
            var record = LentRecord(
                keychain: resting.keychain, token: former?.token ?? CheckOutToken(), file: lent.identity, path: path)
            (record.isAnnounced, record.isRestored) = (true, true)
            try StoreFolder.move(draft.folder, to: checkOut.folder)
            try record.write(places)
            try checkIn(checkOut, Lending(file: lent, record: record))
        } catch {
            // The next opening goes on with the former work copy, and completes a write that began or was torn before.
            if let former {
                try former.write(places)
                try checkOut.undoReplacement(former)
                throw error
            }
            // A write that did not begin leaves nothing behind; one that began is completed later.
            let torn = try lent.withContent { (content) throws(KeychainError) in try content.torn() }
            if torn == nil, try StoreFolder.exists(checkOut.folder) {
                try StoreFolder.removeAll(checkOut.folder)
                try LentRecord.remove(of: resting.keychain, places)
            }
            throw error
        }
    }
}
