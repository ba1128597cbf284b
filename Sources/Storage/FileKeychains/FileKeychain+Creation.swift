import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine

/// The creation and the deletion of a keychain.
extension FileKeychain {
    /// Makes the file, and unlocks the keychain.
    ///
    /// The file is whole and on disk, with its header, before it gets its name.
    ///
    /// - Parameter make: has the custodian make keys under a password; answers the header.
    /// - Throws: `errSecDuplicateKeychain` where a file stands at the path.
    package func create(
        _ make: @escaping @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            try KeychainFile.checkFolder(of: path)
            guard try KeychainFile.status(of: path) == nil else { throw Self.duplicate(path) }
            // The keychain that stood there may have been locked while somebody read it.
            if !settle() { abandonClosing() }
            let draft = try KeychainDraft(places)
            defer { try? draft.remove() }
            try fill(draft, make)
            do throws(KeychainError) { try KeychainFile.link(draft.database, as: path) } catch {
                guard let found = try KeychainFile.status(of: path) else { throw error }
                // Another file was faster, unless this very file has the name: a disk may fail after the link. The
                // folder's sync tells whether the name stays.
                let own = try KeychainFile.status(of: draft.database)
                guard found.st_dev == own?.st_dev, found.st_ino == own?.st_ino else { throw Self.duplicate(path) }
            }
            try draft.remove()
            try StoreFolder.sync(KeychainFile.folder(of: path))
            try checkOut(try resting(), nil)
        }
    }

    /// Makes the database of a new keychain, whole and closed.
    func fill(
        _ draft: KeychainDraft, _ make: @escaping @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) {
        let source = FileKeySource(keys, making: make)
        let store = try ItemStore(
            folder: draft.folder, mark: draft.mark, keys: source, clock: clock, format: .file, log: log)
        guard let header = source.header else {
            throw KeychainError(.internalComponent, "a keychain was made without keys")
        }
        try store.write(.header(header).merging(.inUse(false)) { $1 })
        guard try store.settleLog() else {
            throw KeychainError(cause: .busy, "the new keychain \(path) could not be written to its end; try again")
        }
        try store.close()
    }

    static func duplicate(_ path: String) -> KeychainError {
        KeychainError(.duplicateKeychain, "\(path) is there already; delete it, or use it")
    }

    /// Deletes the file and all of the daemon's data about it, durably, unless a copy shares them.
    ///
    /// The caller removes a file elsewhere itself.
    ///
    /// A damaged file is deleted as well. One elsewhere that no longer begins as a keychain does may be a document of
    /// the person's, unless a keychain was open at its path.
    ///
    /// - Parameter forget: has the custodian forget the keys.
    /// - Throws: `errSecInvalidKeychain` for a file elsewhere that is no keychain.
    package func delete(_ forget: (StoreIdentifier) -> Void) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            let opened = state.withLock { state in
                defer { (state.opened, state.closing) = (nil, nil) }
                return state.opened ?? state.closing
            }
            if let opened {
                opened.store?.forgetKeys()
                forget(opened.checkOut.keychain)
                opened.store?.retire()
                places.open.end(opened.checkOut.keychain)
            }
            let file = isElsewhere ? try KeychainFile(elsewhere: path, places, nil) : try KeychainFile(path)
            var keychain = opened?.checkOut.keychain ?? (try? resting().keychain)
            if keychain == nil { keychain = try lastKeychain() }
            if isElsewhere, keychain == nil, try !LentContent.isKeychain(at: path) {
                throw KeychainError(
                    cause: .damage, status: .invalidKeychain,
                    "\(path) does not begin as a keychain does, and was left as it is; rm removes it if that is meant")
            }
            if let opened, opened.file != file.identity { throw KeychainFile.exchanged(path) }
            if !isElsewhere {
                try KeychainFile.remove(path)
                try StoreFolder.sync(KeychainFile.folder(of: path))
            }
            guard let keychain, (try? places.open.begin(keychain, at: path)) != nil else { return }
            defer { places.open.end(keychain) }
            if try hasOwnData(keychain, file.identity) { try places.forget(keychain) }
        }
    }

    /// Whether the daemon's data about a keychain belongs to the file at this path, and to no copy of it.
    ///
    /// Copies share an identifier, and with it changes that are not checked in, snapshots and the mark. So whoever
    /// deletes a copy keeps what the other has.
    private func hasOwnData(_ keychain: StoreIdentifier, _ file: FileIdentity) throws(KeychainError) -> Bool {
        let checkOut = FileCheckOut(places: places, keychain: keychain)
        guard try !checkOut.belongs(toAnotherThan: file) else { return false }
        guard let last = try RememberedHeader.read(of: keychain, places) else { return true }
        guard !last.hasCopy(of: file, besides: path) else { return false }
        guard last.path != path else { return true }
        guard let status = try KeychainFile.status(of: checkOut.database) else { return true }
        return FileIdentity(status) == file
    }

    /// The keychain that was open at this path last; nil where none was.
    private func lastKeychain() throws(KeychainError) -> StoreIdentifier? {
        try RememberedHeader.find(nil, at: path, places)?.keychain
    }
}
