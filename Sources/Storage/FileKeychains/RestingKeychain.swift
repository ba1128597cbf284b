import SystemCalls
import ChatelaineMemory
import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine

/// What can be read of a keychain's file without its password.
struct RestingKeychain {
    let file: KeychainFile
    let keychain: StoreIdentifier
    let header: [UInt8]
    /// Whether some daemon has left it open, and not on this machine: its last changes may be missing.
    let mayLackChanges: Bool
    /// Whether a log of ours lies beside it.
    let checkOut: FileCheckOut?
    let items: UnverifiedItems

    /// `errSecNoSuchKeychain`, `errSecInvalidKeychain`; `errSecNotAvailable` for one of a newer version.
    init(_ path: String, _ places: FileKeychainPlaces) throws(KeychainError) {
        var file = try KeychainFile(path)
        var standing = try FileCheckOut.standing(of: file, places)
        if case .replaced(let checkOut) = standing {
            try checkOut.publish(to: path)
            file = try KeychainFile(path)
            standing = try FileCheckOut.standing(of: file, places)
        }
        do throws(KeychainError) {
            switch standing {
            case .checkedOut(let open):
                checkOut = open
                items = try UnverifiedItems(open.database, hasLog: true)
            case .resting, .replaced:
                checkOut = nil
                items = try UnverifiedItems(path, hasLog: false)
            }
            let properties = try items.properties()
            guard let header = properties.header else { throw Self.invalid(path) }
            self.header = header
            mayLackChanges = properties.isInUse && checkOut == nil
        } catch {
            guard error.cause == .damage else { throw error }
            throw Self.invalid(path)
        }
        keychain = items.identifier
        self.file = file
        // Of two states of the path this would be a mixture.
        guard FileIdentity(at: path) == file.identity else { throw KeychainFile.exchanged(path) }
    }

    private static func invalid(_ path: String) -> KeychainError {
        KeychainError(
            cause: .damage, status: .invalidKeychain,
            "\(path) is damaged, or no keychain; nothing was changed. Put a copy of it back")
    }
}
