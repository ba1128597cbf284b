import ChatelaineModel
import EnclaveProtocol
import FileKeychains
import ItemStore
import StoreEngine

/// Its items, as requests use them.
extension FileKeychainSlot {
    /// The open keychain; nil while it is locked.
    func opened() throws(KeychainError) -> OpenedKeychain? {
        noteUse()
        let store: ItemStore
        do throws(KeychainError) { store = try keychain.store() } catch {
            guard error.cause == .locked else { throw error }
            return nil
        }
        return current.withLock { current in
            if let current, current.store === store { return current }
            let opened = OpenedKeychain(store: store, file: nil, epoch: (current?.epoch ?? 0) + 1)
            current = opened
            StoreMaintenance.start(store, of: KeychainName(of: store.identifier), log: log)
            return opened
        }
    }

    /// What the query describes, without secrets, as it stands in the file of a locked keychain.
    func findUnverified(_ query: ItemQuery) throws(KeychainError) -> [KeychainItem] {
        var identifier: StoreIdentifier?
        let items = try keychain.findUnverified(query) { (header) throws(KeychainError) in
            let header = try KeychainHeader(decoding: header, path: path.text)
            identifier = header.store
            return header.indexKey
        }
        guard let identifier else { return [] }
        return items.map { KeychainItem($0, of: identifier, at: path.text, isVerified: false) }
    }

    /// What the keychain calls itself.
    func identifier() throws(KeychainError) -> StoreIdentifier {
        if let current = current.withLock({ $0 }) { return current.store.identifier }
        return try keychain.header().keychain
    }

    /// Whether that is the password, of which a wrong one counts; a locked keychain is unlocked by it.
    func prove(password: Int32, from origin: PasscodeOrigin) throws(KeychainError) -> KeychainReport {
        guard keychain.isUnlocked else { return try unlock(password: password, from: origin) }
        return try verify(password, orPasscodeOf: nil, from: origin)
    }
}
