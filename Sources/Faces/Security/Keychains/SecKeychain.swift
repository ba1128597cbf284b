import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation

/// A file keychain, by its path: whether there is a file shows in what is done with it.
///
/// In one process there is one object for a path.
public final class SecKeychain: NSObject, CFTypeIdentified, Sendable {
    /// An object that is there, or was until now. A class, since the compiler of 6.3 copies a structure with a weak reference wrongly.
    // `@unchecked Sendable`: written before it is shared.
    private final class Known: @unchecked Sendable {
        let identity: ObjectIdentifier
        private(set) weak var keychain: SecKeychain?

        init(_ keychain: SecKeychain) { (identity, self.keychain) = (ObjectIdentifier(keychain), keychain) }
    }

    package let path: KeychainPath

    private static let known = AdaptiveMutex<[KeychainPath: Known]>([:])

    private init(_ path: KeychainPath) { self.path = path }

    deinit {
        let identity = ObjectIdentifier(self)
        // Another may have come into its place as soon as nobody held it.
        Self.known.withLock { if $0[path]?.identity == identity { $0[path] = nil } }
    }

    /// The one object of a path.
    package static func at(_ path: KeychainPath) -> SecKeychain {
        known.withLock { known in
            if let keychain = known[path]?.keychain { return keychain }
            let keychain = SecKeychain(path)
            known[path] = Known(keychain)
            return keychain
        }
    }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 262

    public override var description: String { "<SecKeychain: \(path.text)>" }
}

/// The keychain that calls mean which name none: the user's default one.
enum DefaultKeychain {
    /// - Throws: `errSecNoDefaultKeychain` where none is set.
    static func path() throws(KeychainError) -> KeychainPath {
        guard let keychain = try KeychainPreferenceCalls.defaultKeychain(of: nil) else {
            throw KeychainError(.noDefaultKeychain, "name a keychain, or set the default one")
        }
        return keychain.path
    }
}
