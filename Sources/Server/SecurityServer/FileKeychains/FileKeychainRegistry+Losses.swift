import ChatelaineModel
import FileKeychains
import StoreEngine

/// The unacknowledged losses of file keychains, also of those that were not unlocked since.
extension FileKeychainRegistry {
    /// The keychains that one report checks.
    ///
    /// Each check reads a file while the caller waits.
    private static let maximumLooks = 64

    /// The paths of keychains with unacknowledged losses, or possible losses.
    ///
    /// A keychain that was removed or moved is reported when it is unlocked again, since its losses cannot be
    /// acknowledged before.
    func incomplete() -> [String] {
        var paths: [String] = []
        do throws(KeychainError) {
            let found = try places.keychainsWithLosses() + machine.keychainsWithLosses()
            for (keychain, path) in found.sorted(by: { $0.path < $1.path }).prefix(Self.maximumLooks)
            where isThere(keychain, at: path) {
                paths.append(path)
            }
        } catch { log.warning("it is not known what is missing from file keychains", ["reason": error.reason]) }
        return paths
    }

    private func isThere(_ keychain: StoreIdentifier, at path: String) -> Bool {
        do throws(KeychainError) {
            return try withKeychain(at: try self.path(path)) { (slot) throws(KeychainError) in
                try slot.identifier() == keychain
            }
        } catch { return false }
    }
}
