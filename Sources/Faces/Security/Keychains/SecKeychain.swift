import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation

/// A file keychain, named by its path; the object exists whether or not the file does.
///
/// A process has one object for each path.
public final class SecKeychain: NSObject, CFTypeIdentified, Sendable {
    /// A weak entry of the table of keychain objects.
    ///
    /// It is a class, since the compiler of 6.3 miscompiles the copy of a structure with a weak reference.
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
        // Another object may have taken the entry as soon as nobody held this one.
        Self.known.withLock { if $0[path]?.identity == identity { $0[path] = nil } }
    }

    /// Returns the one object for a path.
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

/// The default keychain of the user, for calls that name none.
enum DefaultKeychain {
    /// - Throws: `errSecNoDefaultKeychain` where none is set.
    static func path() throws(KeychainError) -> KeychainPath {
        guard let keychain = try KeychainPreferenceCalls.defaultKeychain(of: nil) else {
            throw KeychainError(.noDefaultKeychain, "name a keychain, or set the default one")
        }
        return keychain.path
    }
}
