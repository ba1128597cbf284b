import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The keys derived from a password and the terms of a header.
///
/// No key of the device takes part, so that the file opens anywhere.
struct KeychainPasswordKeys {
    private let wrapping: SecretBytes
    /// Stored: it shows whether a password is right, and reveals nothing about the other key.
    private let check: SecretBytes

    init(_ password: SecretBytes, _ terms: KeychainHeader.Terms, _ hash: PasswordHash) throws(KeychainError) {
        let root = try hash.derive(password, terms.salt.array, terms.parameters)
        func key(_ purpose: KeychainKeyPurpose) -> SecretBytes {
            KeyDerivation.key(from: root, purpose: purpose.rawValue, subject: terms.store.value)
        }
        wrapping = key(.password)
        check = key(.check)
    }

    /// Whether the password is that of a header.
    ///
    /// Opening the wrapping would not show it, because AES-GCM is not committing.
    func fit(_ header: KeychainHeader) -> Bool { SecretBytes(header.check) == check }

    func header(_ terms: KeychainHeader.Terms, wrapping master: SecretBytes) throws(KeychainError) -> KeychainHeader {
        KeychainHeader(
            terms, check: check.withUnsafeBytes { [UInt8]($0) },
            wrappedKey: try SealingKey(wrapping).seal(master, for: terms.place))
    }

    /// The master key; `errSecInvalidKeychain` if the header was changed.
    func open(_ header: KeychainHeader) throws(KeychainError) -> SecretBytes {
        let master: SecretBytes
        do throws(KeychainError) {
            master = try SealingKey(wrapping).open(header.wrappedKey, for: header.terms.place)
        } catch {
            guard error.cause == .unsealable else { throw error }
            throw KeychainError(
                .invalidKeychain,
                "the password is right, and the header of the keychain was changed: restore the file from a backup")
        }
        guard master.count == Sealing.keyByteCount else {
            throw KeychainError(.invalidKeychain, "the master key of the keychain has another length than keys have")
        }
        return master
    }
}
