import ChatelaineModel
import EnclaveProtocol
import FileKeychains
import ItemStore
import StoreEngine
import Synchronization

/// The items of the keychain, as requests use them.
extension FileKeychainSlot {
    /// The number of openings of all keychains: an answer of a person counts for one opening.
    ///
    /// While a keychain is locked, somebody can put another file at its path.
    private static let openings = Atomic(0)

    /// The open keychain; nil while it is locked.
    func opened() throws(KeychainError) -> OpenedKeychain? {
        noteUse()
        openByItself()
        while true {
            let store: ItemStore
            do throws(KeychainError) { store = try keychain.store() } catch {
                guard error.cause == .locked else { throw error }
                return nil
            }
            if let opened = opened(store) { return opened }
        }
    }

    /// The keychain if it is open and usable; nothing is opened for it.
    func present() -> OpenedKeychain? { (try? keychain.store()).flatMap { opened($0) } }

    /// The open keychain with this store; nil where it was locked meanwhile, and may be open with another one.
    private func opened(_ store: ItemStore) -> OpenedKeychain? {
        current.withLock { current in
            if let current, current.store === store { return current }
            guard keychain.isOpen(with: store) else { return nil }
            let opened = OpenedKeychain(
                store: store, file: nil, epoch: Self.openings.wrappingAdd(1, ordering: .relaxed).newValue)
            current = opened
            // Most keychains are locked again before the regular maintenance would check whether a snapshot is due. A
            // new keychain may belong to a build that deletes it again.
            let isNew = (try? store.sequence()) == 0
            let takeSnapshot: @Sendable (ItemStore) -> Void = { [weak keychain] in keychain?.takeSnapshotIfDue(of: $0) }
            StoreMaintenance.start(
                store, of: KeychainName(of: store.identifier), log: log,
                first: { [weak self] store in
                    self?.check(store)
                    if !isNew { takeSnapshot(store) }
                },
                // Until then a copy would lack rows, so that readers of the machine's keychains have the former one.
                recovered: { [weak self] in self?.publish() }, each: takeSnapshot)
            return opened
        }
    }

    /// The items, without secrets, that a search finds in the file of a locked keychain.
    ///
    /// Nothing in the file is proven.
    ///
    /// - Parameter byteLimit: the size above which the search fails with `errSecDataTooLarge`.
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

    /// ``FileKeychain/unverifiedAnswer(to:)``
    func unverifiedAnswer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try keychain.unverifiedAnswer(to: request)
    }

    /// The identifier that the keychain has in its file.
    func identifier() throws(KeychainError) -> StoreIdentifier {
        if let current = current.withLock({ $0 }) { return current.store.identifier }
        return try keychain.header().keychain
    }

    /// Checks a password, and counts a wrong one.
    ///
    /// The right one unlocks a locked keychain. A keychain that others open meanwhile proves nothing: then the password
    /// is compared anew.
    ///
    /// - Returns: the report, and for a right password the opening of the keychain whose password it is. Once that
    ///   has ended, another file may be at the path.
    func prove(
        password: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> (report: KeychainReport, epoch: Int?) {
        try requireOwnPassword()
        for _ in 0..<Self.proofs {
            guard let before = try opened() else {
                let unlocking = try unlockOnce(password: password, from: origin)
                guard unlocking.header != nil else { continue }
                guard unlocking.report.outcome == .done else { return (unlocking.report, nil) }
                guard let epoch = unlocking.epoch else {
                    // Where the file does not open, that is the reason.
                    _ = try opened()
                    throw Self.lockedDuringProof
                }
                return (unlocking.report, epoch)
            }
            let report = try verify(password, orPasscodeOf: nil, from: origin)
            guard report.outcome == .done else { return (report, nil) }
            guard try opened()?.epoch == before.epoch else { throw Self.lockedDuringProof }
            return (report, before.epoch)
        }
        throw Self.lockedDuringProof
    }

    /// How often others may lock and unlock the keychain while a password is proved.
    private static let proofs = 4

    static var lockedDuringProof: KeychainError {
        KeychainError(.notAvailable, "the keychain was locked while its password was looked at; try again")
    }
}
