import ChatelaineModel
import FileKeychains
import Glibc
import ItemStore
import StoreEngine

/// A look at every item of a keychain that was just unlocked: until then anybody could write to its file, and nothing in it was proven.
extension FileKeychainSlot {
    /// Microseconds between two pieces, so that requests of whoever has unlocked it come first.
    private static let checkPause: UInt32 = 5_000

    /// Opens every row once. What somebody has edited goes to the quarantine, which the store tells of by class and identifier.
    ///
    /// It ends where the keychain is locked, so that whoever locks it waits for one piece at the most.
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

    /// Does something with all that is in the unlocked keychain, which whoever locks it waits for.
    ///
    /// - Throws: `errSecInteractionNotAllowed` where it is locked: nothing of it is proven then.
    func withStore<Answer>(_ body: (ItemStore) throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        // Says of one that is not there that it is not, rather than locked.
        _ = try state()
        var isAgain = false
        while let opened = try opened() {
            do throws(KeychainError) {
                return try checking.withLock { (_) throws(KeychainError) in
                    guard current.withLock({ $0?.store === opened.store }) else { throw FileKeychain.locked(path.text) }
                    return try body(opened.store)
                }
            } catch {
                // It was found damaged, and what is made of the rest takes its place.
                guard !isAgain, opened.store.needsReopening, error.cause != .locked else { throw error }
            }
            isAgain = true
        }
        throw needsUnlocking
    }

    /// A copy of it as it is now. Whoever locks it does not wait for that.
    func takeSnapshot() throws(KeychainError) -> Snapshot {
        _ = try state()
        guard let opened = try opened() else { throw needsUnlocking }
        return try keychain.takeSnapshot(of: opened.store)
    }

    /// Makes a snapshot the keychain, which is locked then, with the password of then.
    ///
    /// - Parameter isProven: whether the person has shown who they are; else it has to be unlocked, so that whoever asks may read it.
    func restore(_ snapshot: String, isProven: Bool) throws(KeychainError) -> FileKeychain.Restoration {
        guard path.place != .machine else {
            throw KeychainError(
                .unimplemented, "no snapshot of a keychain of the machine is restored in place; copy it there as root")
        }
        guard try state().isUnlocked || isProven else { throw needsUnlocking }
        // Locked, it lets go of its file.
        let lent = if let file = keychain.openFile { file } else { try requiredFile() }
        return try entering.withLock { (_) throws(KeychainError) in
            let restoration = try keychain.restore(snapshot, lending: lent) { () throws(KeychainError) in try lock() }
            dropFile()
            return restoration
        }
    }

    private var needsUnlocking: KeychainError {
        refusal(isChange: false)
            ?? KeychainError(
                cause: .locked,
                "the keychain \(path.text) is locked, and nothing proves what is in it; unlock it first: security unlock-keychain \(path.text)"
            )
    }

    /// Whoever reads a file keeps it from being completed.
    func awaitCheck() { checking.withLock { _ in } }
}
