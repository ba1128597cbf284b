import ChatelaineModel
import FileKeychains
import StoreEngine

/// What a person has to hear of file keychains, also of those that nobody has unlocked since.
extension FileKeychainRegistry {
    /// Keychains that one report looks at: each is a look into a file, for which whoever asks waits.
    private static let maximumLooks = 64

    /// The paths of keychains of which something is missing, or may be, that nobody has acknowledged.
    ///
    /// One that was removed or moved is told of where it is unlocked again: nothing can be acknowledged of it until then.
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
