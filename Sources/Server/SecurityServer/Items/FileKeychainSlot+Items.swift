import ChatelaineModel
import EnclaveProtocol
import FileKeychains
import ItemStore
import StoreEngine
import Synchronization

/// Its items, as requests use them.
extension FileKeychainSlot {
    /// Of all keychains: an answer is good for one opening. While a keychain is locked, another file can stand at its path for which the answer was given.
    private static let openings = Atomic(0)

    /// The open keychain; nil while it is locked.
    func opened() throws(KeychainError) -> OpenedKeychain? {
        noteUse()
        openByItself()
        let store: ItemStore
        do throws(KeychainError) { store = try keychain.store() } catch {
            guard error.cause == .locked else { throw error }
            return nil
        }
        return current.withLock { current in
            if let current, current.store === store { return current }
            let opened = OpenedKeychain(
                store: store, file: nil, epoch: Self.openings.wrappingAdd(1, ordering: .relaxed).newValue)
            current = opened
            // Most are locked again before a store of every day would look whether a snapshot is due. One that is made for a build is deleted again.
            let isNew = (try? store.sequence()) == 0
            let takeSnapshot: @Sendable (ItemStore) -> Void = { [weak keychain] in keychain?.takeSnapshotIfDue(of: $0) }
            StoreMaintenance.start(
                store, of: KeychainName(of: store.identifier), log: log,
                first: { [weak self] store in
                    self?.check(store)
                    if !isNew { takeSnapshot(store) }
                }, each: takeSnapshot)
            return opened
        }
    }

    /// What a search finds, without secrets, in the file of a locked keychain as it stands.
    ///
    /// - Parameter byteLimit: how much of it; for more it is `errSecDataTooLarge`.
    func findUnverified(
        byteLimit: Int, _ search: (RowSearch) throws(KeychainError) -> [FoundItem]
    ) throws(KeychainError) -> [KeychainItem] {
        var identifier: StoreIdentifier?
        let items = try keychain.findUnverified(byteLimit: byteLimit, search) { (header) throws(KeychainError) in
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
        guard let before = try opened() else { return try unlock(password: password, from: origin) }
        let report = try verify(password, orPasscodeOf: nil, from: origin)
        // Else it may be the password of another file, which stood there while this one was locked.
        guard try opened()?.epoch == before.epoch else {
            throw KeychainError(.notAvailable, "the keychain was locked while its password was looked at; try again")
        }
        return report
    }
}
