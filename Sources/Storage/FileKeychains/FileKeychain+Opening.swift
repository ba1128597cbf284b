import SystemCalls
import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine

/// From the file to the open store and back.
extension FileKeychain {
    /// Opens the store of a keychain whose keys the custodian has open; called with the turn.
    func checkOut(_ resting: UnverifiedKeychain, _ lent: LentFile?) throws(KeychainError) {
        try moving { () throws(KeychainError) in try begin(resting, lent) }
        guard resting.mayLackChanges else { return }
        log(.copiedWhileInUse)
        let store = state.withLock { state in
            state.opened?.mayLackChanges = true
            return state.opened?.store
        }
        // The file says so no more once it is locked.
        do throws(KeychainError) { try store?.noteMissingChanges() } catch { log(.listFailed(error)) }
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
                isDamaged: resting.items == nil, goesOn: resting.checkOut != nil)
        } catch {
            // It rests again, as far as it did.
            if isElsewhere {
                try? checkOut.abandon(lent)
            } else if resting.checkOut == nil,
                (try? KeychainFile.identity(at: checkOut.database)) == resting.file.identity
            {
                try? checkOut.end()
            }
            places.open.end(resting.keychain)
            throw error
        }
    }

    /// - Parameter goesOn: whether it is the file that this machine had open last. Else it may be an older copy that its owner wants, or one beside
    ///   another: neither is to get what the snapshots have.
    private func open(
        _ checkOut: FileCheckOut, _ keys: FileKeySource, _ lending: Lending?, isDamaged: Bool, goesOn: Bool
    ) throws(KeychainError) {
        do throws(KeychainError) {
            try openOnce(checkOut, keys, lending, isDamaged: isDamaged, goesOn: goesOn)
        } catch {
            // What is damaged may be found out only when it is written to.
            guard !isDamaged, error.cause == .damage else { throw error }
            try openOnce(checkOut, keys, lending, isDamaged: true, goesOn: goesOn)
        }
    }

    private func openOnce(
        _ checkOut: FileCheckOut, _ keys: FileKeySource, _ lending: Lending?, isDamaged: Bool, goesOn: Bool
    ) throws(KeychainError) {
        let before = try KeychainFile.identity(at: checkOut.database)
        let store = try ItemStore(
            folder: checkOut.folder, mark: places.mark(of: checkOut.keychain), keys: keys, clock: clock,
            isDamaged: isDamaged, format: .file, goesOnFromSnapshots: goesOn, log: log)
        guard let file = try KeychainFile.identity(at: checkOut.database) else {
            throw KeychainFile.missing(checkOut.database)
        }
        if let lending { return try open(store, checkOut, keys, lending) }
        // A recovery has set the file aside, and made another.
        if file != before { try checkOut.publish(to: path) }
        guard try KeychainFile.identity(at: path) == file else { throw KeychainFile.exchanged(path) }
        try store.write(.inUse(true))
        // The file itself says so from now on; until then a copy has no changes to lack.
        _ = try store.settleLog()
        state.withLock { $0.opened = Opened(store: store, keys: keys, file: file, checkOut: checkOut) }
    }

    /// The store, opened anew where it was found damaged or cannot be used any more; called with the turn.
    func usableStore() throws(KeychainError) -> ItemStore {
        guard var opened = state.withLock({ $0.opened }) else { throw Self.locked(path) }
        if let store = opened.store {
            guard store.needsReopening else { return store }
            opened.isDamaged = store.isDamaged
            store.retire()
        }
        // Its connections close before others open, with whatever lock the system did not release.
        opened.store = nil
        let (checkOut, keys, isDamaged, lending) = (opened.checkOut, opened.keys, opened.isDamaged, opened.lent)
        let mayLackChanges = opened.mayLackChanges
        state.withLock { [opened] in $0.opened = opened }
        try open(checkOut, keys, lending, isDamaged: isDamaged, goesOn: true)
        state.withLock { $0.opened?.mayLackChanges = mayLackChanges }
        guard let store = state.withLock({ $0.opened?.store }) else { throw Self.locked(path) }
        return store
    }

    /// Finishes what locking could not, as far as that is possible by now; called with the turn.
    ///
    /// Where the disk does not take it, the file stays as it is, with the log: whoever unlocks it next goes on with that.
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

    /// False where somebody reads just now.
    private func settle(_ closing: Opened, attempts: Int) throws(KeychainError) -> Bool {
        // One that could not be opened any more is left with its log.
        guard let store = closing.store else { return true }
        try store.write(.inUse(false))
        for _ in 0..<attempts where try store.settleLog() {
            try store.close()
            try checkIn(closing)
            return true
        }
        return false
    }

    private func checkIn(_ closed: Opened) throws(KeychainError) {
        if let lending = closed.lent { return try checkIn(closed.checkOut, lending) }
        guard let status = try KeychainFile.status(of: closed.checkOut.database) else { return }
        // Somebody has removed it while it was open: what is in our folder is all that is left.
        guard status.st_nlink > 1 else { return try closed.checkOut.setAside() }
        try closed.checkOut.end()
    }
}
