import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine

/// A keychain outside of the daemon's folder: changes go to a work copy, which is written back into the lent file.
///
/// From the announcement in the file until the file has all changes, the work copy is the keychain. A daemon that is
/// started anew goes on with it.
extension FileKeychain {
    /// Makes a keychain in an empty file, and unlocks it.
    ///
    /// - Parameter make: has the custodian make keys under a password; answers the header.
    /// - Throws: `errSecDuplicateKeychain` for a file that is not empty.
    package func create(
        in lent: LentFile, _ make: @escaping @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) {
        try lent.requireWritable()
        try turn.withLock { (_) throws(KeychainError) in
            guard try lent.size == 0 else { throw Self.duplicate(path) }
            if !settle() { abandonClosing() }
            try locking(lent) { () throws(KeychainError) in
                guard try lent.size == 0, state.withLock({ $0.opened == nil }) else { throw Self.duplicate(path) }
                guard try places.look(path) == lent.identity else { throw KeychainFile.exchanged(path) }
                let draft = try KeychainDraft(places)
                defer { try? draft.remove() }
                try fill(draft, make)
                do throws(KeychainError) {
                    try WorkFile(draft.database).replaceContent(of: lent, by: CheckOutToken())
                    try lent.syncFolder()
                    let resting = try resting(lent)
                    defer { try? resting.draft?.remove() }
                    try checkOut(resting, lent)
                } catch {
                    // Whoever has made the file removes it where no keychain is in it.
                    try? lent.withContent { (content) throws(KeychainError) in try content.empty() }
                    throw error
                }
            }
        }
    }

    /// The file that a program has to lend for a keychain elsewhere; nil for a keychain in the daemon's folder.
    func required(_ lent: LentFile?) throws(KeychainError) -> LentFile? {
        guard isElsewhere else { return nil }
        guard let lent else { throw LentFile.needed(path) }
        return lent
    }

    /// Runs `body` while no other daemon has the file; the lock stays if the keychain is open afterwards.
    func locking<Answer>(
        _ lent: LentFile, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        // A check-in that is not settled yet holds the lock, through another descriptor of the same file.
        let closing = state.withLock { $0.closing?.lent?.file }
        closing?.unlock()
        defer {
            if state.withLock({ $0.opened == nil }) {
                lent.unlock()
                try? closing?.lock()
            }
        }
        try lent.lock()
        return try body()
    }

    /// Completes an opening: from now on the file says that a copy of it may lack changes.
    ///
    /// A file that may not be written says nothing, and its work copy takes no changes.
    func open(
        _ store: ItemStore, _ checkOut: FileCheckOut, _ keys: FileKeySource, _ lending: Lending
    ) throws(KeychainError) {
        guard try places.look(path) == lending.file.identity else { throw KeychainFile.exchanged(path) }
        guard !lending.file.isReadOnly else {
            return state.withLock {
                $0.opened = Opened(
                    store: store, keys: keys, file: lending.file.identity, checkOut: checkOut, lent: lending)
            }
        }
        let announcement = StoreProperties.inUse(true).merging(.checkOut(lending.record.token)) { $1 }
        try store.write(announcement.merging(try keys.headerToMend(in: store)) { $1 })
        var lending = lending
        let isTorn = try lending.file.withContent { (content) throws(KeychainError) in try content.torn() } != nil
        if !lending.record.isAnnounced || isTorn {
            guard try store.settleLog() else {
                throw KeychainError(cause: .busy, "\(path) could not be made ready for changes; try again")
            }
            let work = try WorkFile(checkOut.database)
            try work.replaceContent(of: lending.file, by: lending.record.token)
            (lending.record.isAnnounced, lending.record.isRestored) = (true, false)
            lending.work = work
            try lending.record.write(places)
        }
        state.withLock { [lending] in
            $0.opened = Opened(
                store: store, keys: keys, file: lending.file.identity, checkOut: checkOut, lent: lending)
        }
    }

    /// Writes a settled and closed work copy into the file; if that fails, the work copy stays the keychain.
    ///
    /// Where the file may not be written, the work copy goes. One that an earlier daemon left with changes stays.
    func checkIn(_ checkOut: FileCheckOut, _ lending: Lending) throws(KeychainError) {
        if lending.file.isReadOnly {
            guard lending.isReading else { return }
            try checkOut.end()
            try checkOut.endReading()
        } else if try lending.file.links > 0 {
            try WorkFile(checkOut.database).replaceContent(of: lending.file, by: lending.record.token)
            try checkOut.end()
        } else {
            // Somebody removed the file while it was open: the folder has the only copy.
            try checkOut.setAside()
        }
        try LentRecord.remove(of: checkOut.keychain, places)
        try StoreFolder.sync(places.stores)
    }
}

/// The database of a check-out, read without SQLite while nobody writes it.
///
/// Closing its descriptor drops SQLite's locks on the file, which no other process may notice. So it stays open as long
/// as the store.
final class WorkFile: Sendable {
    private let file: Descriptor
    private let path: String

    init(_ path: String) throws(KeychainError) {
        let number = StoreFolder.repeated { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard number >= 0 else { throw KeychainError(system: errno, path) }
        file = Descriptor(number)
        self.path = path
    }

    func replaceContent(of lent: LentFile, by token: CheckOutToken) throws(KeychainError) {
        defer { withExtendedLifetime(self) {} }
        try lent.withContent { (content) throws(KeychainError) in
            try content.replace(with: file.number, path, by: token)
        }
    }
}

extension FileCheckOut {
    /// Makes the copy of a lent file the database of the check-out's folder, unless that exists; answers its record.
    ///
    /// Remains of another file of the same keychain are set aside.
    func begin(_ resting: UnverifiedKeychain, _ lent: LentFile) throws(KeychainError) -> LentRecord {
        if resting.checkOut != nil, let record = try LentRecord.read(of: keychain, places) {
            return record
        }
        guard let draft = resting.draft else { throw KeychainFile.exchanged(lent.path) }
        try makeRoom(for: lent.identity, lent.path)
        try endReading()
        if lent.isReadOnly { try beginReading() }
        let record = LentRecord(keychain: keychain, token: CheckOutToken(), file: lent.identity, path: lent.path)
        try record.write(places)
        try StoreFolder.move(draft.folder, to: folder)
        try StoreFolder.sync(places.stores)
        return record
    }

    func makeRoom(for file: FileIdentity, _ path: String) throws(KeychainError) {
        guard try StoreFolder.exists(folder) else { return }
        guard let status = try KeychainFile.status(of: database) else { return try StoreFolder.removeAll(folder) }
        // The database may have changes that the other file lacks.
        guard status.st_nlink == 1, try !belongs(toAnotherThan: file) else { throw Self.copyIsOpen(path) }
        let record = try LentRecord.read(of: keychain, places)
        if let record, !record.isAnnounced { return try StoreFolder.removeAll(folder) }
        try setAside()
    }

    /// Whether the changes in the folder belong to another file elsewhere that still stands in its place.
    func belongs(toAnotherThan file: FileIdentity) throws(KeychainError) -> Bool {
        guard let record = try LentRecord.read(of: keychain, places) else { return false }
        return record.isAnnounced && record.file != file && record.isInPlace(places)
    }

    static func copyIsOpen(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "another copy of \(path) was open when securityd ended; unlock that copy, and lock it, before this one")
    }

    /// Takes a work copy back that a snapshot was to replace, where a daemon ended before that was done.
    ///
    /// Another thread may find that out at the same time. A keychain that is open in this process may be in the middle
    /// of a replacement.
    func undoReplacement() throws(KeychainError) {
        guard places.open.path(of: keychain) == nil else { return }
        try places.open.withSnapshots(of: keychain) { () throws(KeychainError) in
            guard places.open.path(of: keychain) == nil, let record = try LentRecord.read(of: keychain, places) else {
                return
            }
            try undoReplacement(record)
        }
    }

    /// Takes the work copy back from the quarantine; what is in its place is a copy of the snapshot.
    func undoReplacement(_ record: LentRecord) throws(KeychainError) {
        guard let replaced = record.replaced else { return }
        let aside = "\(StorePlaces(store: folder).quarantine)/\(KeychainFile.name(of: replaced))"
        if try StoreFolder.exists(aside) {
            if try StoreFolder.exists(folder) { try StoreFolder.removeAll(folder) }
            try StoreFolder.move(aside, to: folder)
        }
        var record = record
        record.replaced = nil
        try record.write(places)
    }

    /// Undoes a check-out that failed before it wrote to its file.
    func abandon(_ lent: LentFile?) throws(KeychainError) {
        guard let lent, let record = try LentRecord.read(of: keychain, places), !record.isAnnounced else { return }
        let torn = try lent.withContent { (content) throws(KeychainError) in try content.torn() }
        guard torn == nil else { return }
        // The file says already that it is in use: without the work copy it would count as one that lacks changes.
        if let read = try? UnverifiedKeychain.read(lent.path, hasLog: false), read.checkOut == record.token { return }
        try StoreFolder.removeAll(folder)
        try endReading()
        try LentRecord.remove(of: keychain, places)
        try StoreFolder.sync(places.stores)
    }
}
