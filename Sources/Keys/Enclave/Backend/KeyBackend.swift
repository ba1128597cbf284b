import ChatelaineMemory
import ChatelaineModel
import Sealing

/// What holds the UID key and works with it; there is no operation that gives it out.
///
/// All operations may be called from several threads. They block: a backend that needs a person or a slow chip will
/// bring the asynchronous, cancellable shape with it. All throw `errSecNotAvailable` where the backend's storage
/// fails, and `errSecInternalComponent` where it is damaged.
package protocol KeyBackend: Sendable {
    /// For reports: "software", later "tpm2".
    var name: String { get }

    /// Makes the UID key. Refuses where there is one.
    func create() throws(KeychainError)

    /// Makes the UID key usable; false where there is none.
    func unlock() throws(KeychainError) -> Bool

    /// A mark by which data recognises the UID key it was written under; it says nothing about the key.
    func mark() throws(KeychainError) -> [UInt8]

    /// Wraps a key of `keybag`.
    func wrap(
        _ key: SecretBytes, for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> [UInt8]

    /// Undoes ``wrap(_:for:in:)``; `errSecDecode` for anything else.
    func unwrap(
        _ wrapped: [UInt8], for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> SecretBytes

    /// A key of 32 bytes that depends on the UID key, the purpose and the store or keybag, and on nothing else.
    func derive(_ purpose: DerivedKeyPurpose, for subject: Bytes16) throws(KeychainError) -> SecretBytes
}
