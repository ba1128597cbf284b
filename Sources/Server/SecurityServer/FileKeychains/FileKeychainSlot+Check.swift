import ChatelaineModel
import FileKeychains
import Glibc
import ItemStore
import StoreEngine

/// Checks every item of a keychain that was just unlocked.
///
/// Until then anybody could write to its file, and nothing in it was proven.
extension FileKeychainSlot {
    /// Microseconds between two parts of a check, so that requests of the program that unlocked the keychain come
    /// first.
    private static let checkPause: UInt32 = 5_000

    /// Opens every row once.
    ///
    /// Rows that somebody edited go to the quarantine, which the store reports by class and identifier.
    ///
    /// The check ends when the keychain is locked, and so does the part under way (``ItemStore/endChecks()``).
    func check(_ store: ItemStore) {
        var position: Int64? = 0
        do throws(KeychainError) {
            while let next = position {
                position = try checking.withLock { (_) throws(KeychainError) in
                    guard current.withLock({ $0?.store === store }), !store.needsReopening else { return nil }
                    return try store.check(from: next).next
                }
                usleep(Self.checkPause)
            }
        } catch {
            guard error.cause != .locked, !store.isRetired else { return }
            log.warning(
                "the items of a keychain were not all looked at", ["keychain": path.text, "reason": error.reason])
        }
    }

    /// Runs `body` with the store of the unlocked keychain.
    ///
    /// A lock waits for `body`.
    ///
    /// - Throws: `errSecInteractionNotAllowed` where the keychain is locked, since nothing in it is proven then.
    func withStore<Answer>(_ body: (ItemStore) throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        // Reports a missing keychain as missing, rather than as locked.
        _ = try state()
        var isAgain = false
        while let opened = try opened() {
            do throws(KeychainError) {
                return try checking.withLock { (_) throws(KeychainError) in
                    guard current.withLock({ $0?.store === opened.store }) else { throw FileKeychain.locked(path.text) }
                    return try body(opened.store)
                }
            } catch {
                // The store was found damaged, and a store with what could be saved takes its place.
                guard !isAgain, opened.store.needsReopening, error.cause != .locked else { throw error }
            }
            isAgain = true
        }
        throw needsUnlocking
    }

    /// Takes a snapshot of the keychain as it is now.
    ///
    /// A lock does not wait for it.
    func takeSnapshot() throws(KeychainError) -> Snapshot {
        _ = try state()
        guard let opened = try opened() else { throw needsUnlocking }
        return try keychain.takeSnapshot(of: opened.store)
    }

    /// Makes a snapshot the keychain.
    ///
    /// The keychain is locked then, with the password that the snapshot has. A keychain of the machine opens again by
    /// its key file, and other users read the snapshot's names from then on.
    ///
    /// - Parameter isProven: whether the person has proved who they are. Otherwise the keychain has to be unlocked, so
    ///   that the caller may read it.
    func restore(_ snapshot: String, isProven: Bool) throws(KeychainError) -> FileKeychain.Restoration {
        try prepareMachine()
        openByItself()
        guard try state().isUnlocked || isProven else { throw needsUnlocking }
        // A locked keychain releases its file.
        let lent = if let file = keychain.openFile { file } else { try requiredFile() }
        let restoration = try entering.withLock { (_) throws(KeychainError) in
            let restoration = try keychain.restore(snapshot, lending: lent) { () throws(KeychainError) in try lock() }
            dropFile()
            return restoration
        }
        // This publishes the snapshot, too. If the daemon ends before that, the next opening publishes it.
        openByItself()
        return restoration
    }

    private var needsUnlocking: KeychainError {
        refusal(isChange: false)
            ?? KeychainError(
                cause: .locked,
                "the keychain \(path.text) is locked, and nothing proves what is in it; unlock it first: security unlock-keychain \(path.text)"
            )
    }

    /// Waits for the check, which reads the file and so keeps it from being completed.
    func awaitCheck() { checking.withLock { _ in } }
}
