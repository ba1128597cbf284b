import CChatelaineFoundation
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Security

/// The keychain objects for C, of which a process has one for each path.
enum KeychainObjects {
    /// The number of paths with one object each, more than any program opens.
    ///
    /// Objects of further paths are equal but not identical.
    private static let maximum = 1024

    /// The object of each path, as an address that we retain for good, so that no thread gets an object that is being
    /// freed.
    private static let known = AdaptiveMutex<[KeychainPath: UInt]>([:])

    /// Returns the object of a keychain, with one reference for the caller.
    static func make(_ keychain: SecKeychain) throws(KeychainError) -> UnsafeRawPointer {
        let path = keychain.path
        let address = try known.withLock { (known) throws(KeychainError) in
            if let address = known[path] {
                UnsafeRawPointer(bitPattern: address).map(chatelaine_retain)
                return address
            }
            let object = try ForeignObject.make(keychain, .keychain)
            let address = UInt(bitPattern: object)
            if known.count < maximum {
                chatelaine_retain(object)
                known[path] = address
            }
            return address
        }
        guard let object = UnsafeRawPointer(bitPattern: address) else {
            throw KeychainError(.allocate, "there is no memory for the keychain")
        }
        return object
    }

    static func make(_ keychains: [SecKeychain]) throws(KeychainError) -> UnsafeRawPointer {
        var objects: [UnsafeRawPointer?] = []
        do throws(KeychainError) {
            for keychain in keychains { objects.append(try make(keychain)) }
        } catch {
            for object in objects { chatelaine_release(object) }
            throw error
        }
        guard let array = chatelaine_make_array(&objects, objects.count) else {
            throw KeychainError(.allocate, "there is no memory for the list")
        }
        return array
    }

    /// The keychain that a caller names; nil for a null pointer, which means the default keychain.
    static func content(_ object: UnsafeRawPointer?) throws(KeychainError) -> SecKeychain? {
        guard let object else { return nil }
        return try ForeignObject.content(object, .keychain) as SecKeychain
    }

    /// The keychains that a caller names by one object or an array; nil for a null pointer.
    static func named(_ object: UnsafeRawPointer?) throws(KeychainError) -> [SecKeychain]? {
        guard let object else { return nil }
        if let keychain: SecKeychain = try? ForeignObject.content(object, .keychain) { return [keychain] }
        return try contents(object)
    }

    /// - Throws: `errSecParam` for a null pointer and other objects.
    static func contents(_ array: UnsafeRawPointer?) throws(KeychainError) -> [SecKeychain] {
        let keychains: [SecKeychain]? = try ForeignObject.contents(
            array, .keychain, limit: KeychainPreferences.maximumKeychains, tooMany: KeychainPreferenceCalls.tooMany)
        guard let keychains else { throw KeychainError(.param, "the list of keychains is null") }
        return keychains
    }
}
