import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine

/// A keychain's beginning and its end.
extension FileKeychain {
    /// Makes the file, and unlocks the keychain: on disk, whole and with its header, before it has its name.
    ///
    /// - Parameter make: has the custodian make keys under a password; answers the header.
    /// - Throws: `errSecDuplicateKeychain` where something stands at the path.
    package func create(
        _ make: @escaping @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            try KeychainFile.checkFolder(of: path)
            guard try !KeychainFile.exists(path) else { throw Self.duplicate(path) }
            let draft = "\(places.stores)/\(Self.draftPrefix)\(Hexadecimal.text(of: StoreIdentifier().bytes))"
            try StoreFolder.makeDurable(draft)
            defer { try? StoreFolder.remove(draft) }
            let source = FileKeySource(keys, making: make)
            let mark = "\(draft)/\(Self.draftMark)"
            let store = try ItemStore(
                folder: draft, mark: mark, keys: source, clock: clock, format: .file, log: log)
            guard let header = source.header else {
                throw KeychainError(.internalComponent, "a keychain was made without keys")
            }
            try store.write(.header(header).merging(.inUse(false)) { $1 })
            guard try store.settleLog() else {
                throw KeychainError(.internalComponent, "the log of a new keychain is read by somebody")
            }
            try store.close()
            guard linkat(AT_FDCWD, RowStore.database(in: draft), AT_FDCWD, path, 0) == 0 else {
                if errno == EEXIST { throw Self.duplicate(path) }
                throw KeychainError(system: errno, path)
            }
            try StoreFolder.remove(draft)
            try StoreFolder.sync(KeychainFile.folder(of: path))
            try checkOut(try RestingKeychain(path, places))
        }
    }

    private static let draftPrefix = "new-"
    private static let draftMark = "draft.mark"

    private static func duplicate(_ path: String) -> KeychainError {
        KeychainError(cause: .request, status: .duplicateKeychain, "\(path) is there already; delete it, or use it")
    }

    /// Deletes the file, and everything of ours about it; gone from the disk when it returns.
    ///
    /// - Parameter forget: has the custodian forget the keys.
    package func delete(_ forget: (StoreIdentifier) -> Void) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            let opened = state.withLock { state in
                defer { (state.opened, state.closing) = (nil, nil) }
                return state.opened ?? state.closing
            }
            if let opened {
                opened.store.forgetKeys()
                forget(opened.store.identifier)
                opened.store.retire()
                places.open.end(opened.checkOut.keychain)
            }
            let file = try KeychainFile(path)
            // One that is damaged is deleted as well; what we have of it cannot be told then.
            let keychain = opened?.store.identifier ?? (try? RestingKeychain(path, places).keychain)
            if let opened, opened.file != file.identity { throw KeychainFile.exchanged(path) }
            guard unlink(path) == 0 else { throw KeychainError(system: errno, path) }
            try StoreFolder.sync(KeychainFile.folder(of: path))
            if let keychain {
                try places.forget(keychain)
            }
        }
    }
}
