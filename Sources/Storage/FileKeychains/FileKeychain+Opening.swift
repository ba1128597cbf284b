import SystemCalls
import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine

/// From the file to the open store and back.
extension FileKeychain {
    /// Opens the store of a keychain whose keys the custodian has open; called with the turn.
    func checkOut(_ resting: RestingKeychain) throws(KeychainError) {
        let checkOut = resting.checkOut ?? FileCheckOut(places: places, keychain: resting.keychain)
        try places.open.begin(resting.keychain, at: path)
        do throws(KeychainError) {
            try resting.file.makePrivate()
            try checkOut.begin(resting.file)
            try open(checkOut, FileKeySource(keys, header: resting.header), isDamaged: resting.items == nil)
            try RememberedHeader(header: resting.header, path: path).write(of: resting.keychain, places)
        } catch {
            // It rests again, as far as it did.
            if resting.checkOut == nil, FileIdentity(at: checkOut.database) == resting.file.identity {
                try? checkOut.end()
            }
            places.open.end(resting.keychain)
            throw error
        }
        if resting.mayLackChanges { log(.copiedWhileInUse) }
    }

    private func open(
        _ checkOut: FileCheckOut, _ keys: FileKeySource, isDamaged: Bool
    ) throws(KeychainError) {
        do throws(KeychainError) { try openOnce(checkOut, keys, isDamaged: isDamaged) } catch {
            // What is damaged may be found out only when it is written to.
            guard !isDamaged, error.cause == .damage else { throw error }
            try openOnce(checkOut, keys, isDamaged: true)
        }
    }

    private func openOnce(
        _ checkOut: FileCheckOut, _ keys: FileKeySource, isDamaged: Bool
    ) throws(KeychainError) {
        let before = FileIdentity(at: checkOut.database)
        let store = try ItemStore(
            folder: checkOut.folder, mark: places.mark(of: checkOut.keychain), keys: keys, clock: clock,
            isDamaged: isDamaged, format: .file, log: log)
        guard let file = FileIdentity(at: checkOut.database) else {
            throw KeychainError(system: errno, checkOut.database)
        }
        // A recovery has set the file aside, and made another.
        if file != before { try checkOut.publish(to: path) }
        guard FileIdentity(at: path) == file else { throw KeychainFile.exchanged(path) }
        try store.write(.inUse(true))
        // The file itself says so from now on; until then a copy has no changes to lack.
        _ = try store.settleLog()
        state.withLock { $0.opened = Opened(store: store, keys: keys, file: file, checkOut: checkOut) }
    }

    /// Opens the store anew where it was found damaged or is unusable; called with the turn.
    func reopened() throws(KeychainError) -> ItemStore {
        guard let opened = state.withLock({ $0.opened }) else { throw Self.locked(path) }
        guard opened.store.needsReopening else { return opened.store }
        opened.store.retire()
        state.withLock { $0.opened = nil }
        try open(opened.checkOut, opened.keys, isDamaged: opened.store.isDamaged)
        guard let store = state.withLock({ $0.opened?.store }) else { throw Self.locked(path) }
        return store
    }

    /// Finishes what locking could not, as far as that is possible by now; called with the turn.
    @discardableResult
    func settle(attempts: Int = 1) throws(KeychainError) -> Bool {
        guard let closing = state.withLock({ $0.closing }) else { return true }
        try closing.store.write(.inUse(false))
        for _ in 0..<attempts where try closing.store.settleLog() {
            try closing.store.close()
            state.withLock { $0.closing = nil }
            defer { places.open.end(closing.checkOut.keychain) }
            try checkIn(closing)
            return true
        }
        return false
    }

    private func checkIn(_ closed: Opened) throws(KeychainError) {
        var status = stat()
        guard stat(closed.checkOut.database, &status) == 0 else {
            throw KeychainError(system: errno, closed.checkOut.database)
        }
        // Somebody has removed it while it was open: what is in our folder is all that is left.
        guard status.st_nlink > 1 else { return try closed.checkOut.setAside() }
        try closed.checkOut.end()
    }
}
