import ChatelaineMemory
import ChatelaineModel
import Sealing

/// Holds the UID key and calculates with it; no operation returns it.
///
/// All operations may be called from several threads. They block: a backend that needs a person or a slow chip will
/// need an asynchronous, cancellable form. All throw `errSecNotAvailable` if the backend's storage fails, and
/// `errSecInternalComponent` if it is damaged.
package protocol KeyBackend: Sendable {
    /// The name in reports: "software", later "tpm2".
    var name: String { get }

    /// Makes the UID key; fails if there is one.
    func create() throws(KeychainError)

    /// Makes the UID key usable; false if there is none.
    func unlock() throws(KeychainError) -> Bool

    /// A mark that shows under which UID key data was written.
    ///
    /// It reveals nothing about the key.
    func mark() throws(KeychainError) -> [UInt8]

    /// Wraps a key of `keybag`.
    func wrap(
        _ key: SecretBytes, for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> [UInt8]

    /// Undoes ``wrap(_:for:in:)``; `errSecDecode` for any other bytes.
    func unwrap(
        _ wrapped: [UInt8], for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> SecretBytes

    /// Derives a key of 32 bytes from the UID key, the purpose, and the store or keybag alone.
    func derive(_ purpose: DerivedKeyPurpose, for subject: Bytes16) throws(KeychainError) -> SecretBytes
}
