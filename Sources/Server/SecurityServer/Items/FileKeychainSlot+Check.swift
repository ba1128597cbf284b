import ChatelaineModel
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

    /// Whoever reads a file keeps it from being completed.
    func awaitCheck() { checking.withLock { _ in } }
}
