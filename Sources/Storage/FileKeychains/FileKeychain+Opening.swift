import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine
import SystemCalls

/// The way from the file to the open store and back.
extension FileKeychain {
    /// Opens the store of a keychain whose keys the custodian has open; the caller holds the turn.
    func checkOut(_ resting: UnverifiedKeychain, _ lent: LentFile?) throws(KeychainError) {
        try moving { () throws(KeychainError) in try begin(resting, lent) }
        noteReading(of: resting)
        guard resting.mayLackChanges else { return }
        log(.copiedWhileInUse)
        let store = state.withLock { state in
            state.opened?.mayLackChanges = true
            return state.opened?.store
        }
        // The file no longer says so once it is locked, so that the store has to record the loss.
        do throws(KeychainError) {
            try store?.noteMissingChanges()
            // Somebody knows of it since an earlier opening of a file that may only be read.
            if lent?.isReadOnly == true, try store?.losses().isEmpty == true { noteAcknowledgement() }
        } catch { log(.listFailed(error)) }
    }

    /// Has the keychain's mark take over what a work copy that is only read proves about its file.
    ///
    /// Where the opening found a loss, the copy went on with another number, and the mark stays. So each opening finds
    /// the same loss.
    private func noteReading(of resting: UnverifiedKeychain) {
        guard let opened = state.withLock({ $0.opened }), opened.lent?.isReading == true, let store = opened.store,
            let items = resting.items, !store.isRecovering, (try? store.sequence()) == items.sequence
        else { return }
        // Where that fails, the mark says less than it could, and the next opening tries again.
        try? opened.checkOut.keepReadingMark()
    }

    private func begin(_ resting: UnverifiedKeychain, _ lent: LentFile?) throws(KeychainError) {
        let checkOut = resting.checkOut ?? FileCheckOut(places: places, keychain: resting.keychain)
        try places.open.begin(resting.keychain, at: path)
        do throws(KeychainError) {
            let lending: Lending?
            if let lent {
                try lent.makePrivate()
                lending = Lending(file: lent, record: try checkOut.begin(resting, lent))
            } else {
                try resting.file.makePrivate()
                try checkOut.begin(resting.file)
                lending = nil
            }
            try RememberedHeader(header: resting.header, path: path).write(of: resting.keychain, places)
            try open(
                checkOut, FileKeySource(keys, header: resting.header, settings: resting.settings), lending,
                isDamaged: resting.items == nil,
                goesOn: resting.checkOut != nil && lending?.record.isRestored != true)
        } catch {
            // The keychain returns to its state before. A file that says already that it is in use stays checked out:
            // without its log it would count as a copy that lacks changes, and the next unlock goes on with it.
            if isElsewhere {
                try? checkOut.abandon(lent)
            } else if resting.checkOut == nil,
                (try? KeychainFile.identity(at: checkOut.database)) == resting.file.identity,
                (try? UnverifiedKeychain.read(checkOut.database, hasLog: true))??.isInUse == false
            {
                try? checkOut.end()
            }
            places.open.end(resting.keychain)
            // The folder of the work copy is ours, and no advice about it helps.
            throw [.damage, .unrecoverable].contains(error.cause) ? UnverifiedKeychain.invalid(path) : error
        }
    }

    /// The attempts that have to meet damage before a database counts as damaged.
    private static let opinions = 2

    /// Opens the store of a check-out; as a damaged one where two attempts meet damage.
    ///
    /// - Parameter goesOn: whether this machine had this file open last. Another file may be an older copy that its
    ///   owner wants, or a copy beside the original: neither may get the newer rows of snapshots.
    private func open(
        _ checkOut: FileCheckOut, _ keys: FileKeySource, _ lending: Lending?, isDamaged: Bool, goesOn: Bool
    ) throws(KeychainError) {
        // SQLite reports a disk's single failure as damage, and some damage shows only when the database is written to.
        for _ in 0..<(isDamaged ? 0 : Self.opinions) {
            do throws(KeychainError) {
                return try openOnce(checkOut, keys, lending, isDamaged: false, goesOn: goesOn)
            } catch {
                guard error.cause == .damage else { throw error }
            }
        }
        try openOnce(checkOut, keys, lending, isDamaged: true, goesOn: goesOn)
    }

    private func openOnce(
        _ checkOut: FileCheckOut, _ keys: FileKeySource, _ lending: Lending?, isDamaged: Bool, goesOn: Bool
    ) throws(KeychainError) {
        let before = try KeychainFile.identity(at: checkOut.database)
        let store = try ItemStore(
            folder: checkOut.folder,
            mark: lending?.isReading == true ? checkOut.readingMark : places.mark(of: checkOut.keychain),
            quarantine: lending?.isReading == true ? checkOut.readingQuarantine : nil, keys: keys, clock: clock,
            isDamaged: isDamaged, format: .file, goesOnFromSnapshots: goesOn,
            refusal: lending?.file.isReadOnly == true ? LentFile.readOnly(path) : nil, log: log)
        guard let file = try KeychainFile.identity(at: checkOut.database) else {
            throw KeychainFile.missing(checkOut.database)
        }
        if let lending { return try open(store, checkOut, keys, lending) }
        // A recovery has set the file aside, and made another.
        if file != before { try checkOut.publish(to: path) }
        guard try KeychainFile.identity(at: path) == file else { throw KeychainFile.exchanged(path) }
        try store.write(.inUse(true).merging(try keys.headerToMend(in: store)) { $1 })
        // From now on the file itself says that it is in use; until then a copy of it lacks no changes.
        _ = try store.settleLog()
        state.withLock { $0.opened = Opened(store: store, keys: keys, file: file, checkOut: checkOut) }
    }

    /// The store, opened anew where it was found damaged or is unusable; the caller holds the turn.
    func usableStore() throws(KeychainError) -> ItemStore {
        guard var opened = state.withLock({ $0.opened }) else { throw Self.locked(path) }
        if let store = opened.store {
            guard store.needsReopening else { return store }
            opened.isDamaged = store.isDamaged
            store.retire()
        }
        // The old connections close before new ones open, and release any lock that the system kept.
        opened.store = nil
        let (checkOut, keys, isDamaged, lending) = (opened.checkOut, opened.keys, opened.isDamaged, opened.lent)
        let mayLackChanges = opened.mayLackChanges
        state.withLock { [opened] in $0.opened = opened }
        try open(checkOut, keys, lending, isDamaged: isDamaged, goesOn: true)
        state.withLock { $0.opened?.mayLackChanges = mayLackChanges }
        guard let store = state.withLock({ $0.opened?.store }) else { throw Self.locked(path) }
        return store
    }

    /// Ends a locking that is not over, so that the keychain can be opened; the caller holds the turn.
    ///
    /// Somebody may still read. The file stays as it is, with its log.
    func abandonClosing() {
        let closing = state.withLock { state in
            defer { state.closing = nil }
            return state.closing
        }
        guard let closing else { return }
        do throws(KeychainError) { try closing.store?.close() } catch { log(.settlingFailed(error)) }
        places.open.end(closing.checkOut.keychain)
    }

    /// Finishes the locking of the keychain as far as possible; the caller holds the turn.
    ///
    /// If the disk fails, the file stays as it is, with its log, and the next unlock goes on with both.
    @discardableResult
    func settle(attempts: Int = 1) -> Bool {
        guard let closing = state.withLock({ $0.closing }) else { return true }
        var isSettled = true
        do throws(KeychainError) {
            let isDone = try moving { () throws(KeychainError) in try settle(closing, attempts: attempts) }
            guard isDone else { return false }
        } catch {
            log(.settlingFailed(error))
            try? closing.store?.close()
            isSettled = false
        }
        state.withLock { $0.closing = nil }
        places.open.end(closing.checkOut.keychain)
        return isSettled
    }

    /// Writes the last changes and checks the file in; false while somebody reads the log.
    private func settle(_ closing: Opened, attempts: Int) throws(KeychainError) -> Bool {
        // A store that could not be opened again leaves its log in place.
        guard let store = closing.store else { return true }
        try store.write(.inUse(false))
        for _ in 0..<attempts where try store.settleLog() {
            try store.close()
            // Somebody's change may have come between the two steps, while somebody else reads. It is only in the log.
            let log = "\(closing.checkOut.database)-wal"
            guard try KeychainFile.status(of: log)?.st_size ?? 0 == 0 else {
                throw KeychainError(cause: .busy, "\(path) was changed while it was being locked; its log is kept")
            }
            try checkIn(closing)
            return true
        }
        return false
    }

    private func checkIn(_ closed: Opened) throws(KeychainError) {
        if let lending = closed.lent { return try checkIn(closed.checkOut, lending) }
        guard let status = try KeychainFile.status(of: closed.checkOut.database) else { return }
        // Somebody removed the file while it was open: the folder has the only copy.
        guard status.st_nlink > 1 else { return try closed.checkOut.setAside() }
        try closed.checkOut.end()
    }
}
