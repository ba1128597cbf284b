import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import CoreFoundation
import Synchronization

/// The `SecKeychain` calls about keychains as a whole, for Swift and for C alike.
///
/// A nil keychain means the default keychain.
package enum KeychainCalls {
    /// The version that `SecKeychainGetVersion` returns; it equals Apple's.
    package static let version: UInt32 = 0x0202_8000

    private static var client: KeychainClient { .shared }

    /// The error of the calls about a keychain's access object, which Apple declares and never implemented.
    package static var noAccess: KeychainError {
        KeychainError(
            .unimplemented, "a keychain has no access object; its items do: use SecKeychainItemCopyAccess and SetAccess"
        )
    }

    /// - Parameter path: a name in the folder of keychains, or a path; the call does not look for the file.
    package static func open(_ path: UnsafePointer<CChar>?) throws(KeychainError) -> SecKeychain {
        guard let path else { throw KeychainError(.param, "the pointer to the path of a keychain is null") }
        guard let name = String(validatingCString: path) else {
            throw KeychainError(.param, "a keychain's path is not UTF-8; rename the file")
        }
        return SecKeychain.at(try KeychainPath(name, try client.deployment))
    }

    /// - Parameter password: the password; its pointer is nil where the program gives none.
    package static func create(
        _ path: UnsafePointer<CChar>?, _ password: GivenPassword, promptUser: Bool
    ) throws(KeychainError) -> SecKeychain {
        let keychain = try open(path)
        guard password.isGiven else {
            guard promptUser else {
                throw KeychainError(.param, "a new keychain needs a password, and none was given")
            }
            try ask(.create(path: keychain.path.text))
            return keychain
        }
        try client.call(KeychainPasswordCommand.create(path: keychain.path.text), [try password.secret()])
            .requireDone()
        return keychain
    }

    /// - Parameter usesPassword: whether to use `password`; if false, a person is asked for the password of a locked
    ///   keychain.
    package static func unlock(
        _ keychain: SecKeychain?, _ password: GivenPassword, usesPassword: Bool
    ) throws(KeychainError) {
        let path = try path(of: keychain)
        guard usesPassword else {
            if try !client.state(ofKeychain: path).isUnlocked { try ask(.unlock(path: path.text)) }
            return
        }
        try client.call(KeychainPasswordCommand.unlock(path: path.text), [try password.secret()]).requireDone()
    }

    package static func lock(_ keychain: SecKeychain?) throws(KeychainError) {
        try client.carryOut(.lock(path: try path(of: keychain).text))
    }

    package static func lockAll() throws(KeychainError) { try client.carryOut(.lockAll) }

    /// Deletes the keychains in turn and stops at the first failure.
    package static func delete(_ keychains: [SecKeychain]?) throws(KeychainError) {
        guard let keychains else {
            throw KeychainError(.invalidKeychain, "no keychain was named; nothing was deleted")
        }
        for keychain in keychains { try client.carryOut(.delete(path: keychain.path.text)) }
    }

    /// The status of a keychain as Apple's status bits.
    package static func status(of keychain: SecKeychain?) throws(KeychainError) -> UInt32 {
        try client.state(ofKeychain: try path(of: keychain)).statusBits
    }

    package static func settings(of keychain: SecKeychain?) throws(KeychainError) -> KeychainSettings {
        try client.settings(ofKeychain: try path(of: keychain), authenticationUI)
    }

    package static func set(_ settings: KeychainSettings, of keychain: SecKeychain?) throws(KeychainError) {
        try client.set(settings, ofKeychain: try path(of: keychain), authenticationUI)
    }

    /// Copies the path of a keychain to the caller's buffer, with a zero at its end.
    ///
    /// - Parameter length: the size of the buffer in bytes; receives the length of the path, without the zero.
    /// - Throws: `errSecBufferTooSmall`.
    package static func copyPath(
        of keychain: SecKeychain?, _ length: UnsafeMutablePointer<UInt32>, to buffer: UnsafeMutablePointer<CChar>?
    ) throws(KeychainError) {
        let bytes = Array(try path(of: keychain).text.utf8CString)
        let room = length.pointee
        length.pointee = UInt32(bytes.count - 1)
        guard let buffer else { throw KeychainError(.param, "the pointer to the place for a path is null") }
        guard bytes.count <= Int(room) else {
            throw KeychainError(.bufferTooSmall, "the path takes \(bytes.count) bytes, and there is room for \(room)")
        }
        // SAFETY: the caller says how much room there is, which is enough.
        for (index, byte) in bytes.enumerated() { buffer[index] = byte }
    }

    private static func path(of keychain: SecKeychain?) throws(KeychainError) -> KeychainPath {
        if let keychain { keychain.path } else { try DefaultKeychain.path() }
    }

    /// Asks a person, unless the process forbids interaction.
    private static func ask(_ question: KeychainQuestion) throws(KeychainError) {
        guard UserInteraction.isAllowed else {
            throw KeychainError(
                .interactionNotAllowed,
                "the process forbids to ask for the password of \(question.path); give it with the call")
        }
        try client.ask(question)
    }

    private static var authenticationUI: AuthenticationUI { UserInteraction.isAllowed ? .allow : .fail }
}

/// A password in a program's memory, which is copied once.
package struct GivenPassword {
    private let bytes: UnsafeRawPointer?
    private let count: UInt32

    package init(_ bytes: UnsafeRawPointer?, count: UInt32) { (self.bytes, self.count) = (bytes, count) }

    var isGiven: Bool { bytes != nil }

    /// Copies the password to secret memory; a nil pointer with length 0 is an empty password.
    func secret() throws(KeychainError) -> SecretBytes {
        guard count == 0 || bytes != nil else {
            throw KeychainError(.param, "the password has a length, and the pointer to it is null")
        }
        guard Int(count) <= Limits.keychainPasswordBytes else {
            throw KeychainError(.param, "a password has \(Limits.keychainPasswordBytes) bytes at the most")
        }
        // SAFETY: the caller says how many bytes there are.
        return SecretBytes(copying: UnsafeRawBufferPointer(start: count == 0 ? nil : bytes, count: Int(count)))
    }
}

/// Whether calls of this process about file keychains may have a person asked (`SecKeychainSetUserInteractionAllowed`).
package enum UserInteraction {
    private static let allowed = Atomic<Bool>(true)

    package static var isAllowed: Bool {
        get { allowed.load(ordering: .relaxed) }
        set { allowed.store(newValue, ordering: .relaxed) }
    }
}
