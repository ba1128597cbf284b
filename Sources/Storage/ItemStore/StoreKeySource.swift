import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// Where the keys of stores come from: the key custodian, over whatever connection there is to it.
///
/// Every question names the store that it is about, which ``openStore(_:isEmpty:)`` has opened before. Called from any
/// thread, concurrently, and never while a transaction is open. Statuses are those that ``EnclaveRequest`` lists;
/// `errSecInteractionNotAllowed` stands for a locked class and `errSecDecode` for damage.
package protocol StoreKeySource: Sendable {
    /// Who is to be told when keys that it gave are to be forgotten; nil where nothing is ever locked.
    var holders: KeyHolders? { get }
    /// What a database begins with that takes the place of a damaged one; see ``StoreKind/properties``.
    var properties: StoreProperties { get }
    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys
    /// Has the keybag say that the store has a mark, so that it is missed where it is not there.
    func noteMark(of store: StoreIdentifier) throws(KeychainError)
    func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey
    func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey
    /// Keys that were replaced and are to be destroyed, and which classes can be used now.
    func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState)
    func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError)
    /// At most ``EnclaveRequest/maximumBatch`` at once; one answer for each, in that order.
    ///
    /// - Parameter use: given where some row has constraints.
    func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey]
    /// At most ``EnclaveRequest/maximumBatch`` at once; one answer for each, in that order.
    ///
    /// - Parameter use: given where some row has constraints.
    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<SecretBytes, KeychainError>]
    /// Row keys of rows with constraints, wrapped anew by the class keys of now and never shown, so that no constraint has to be satisfied.
    ///
    /// At most ``EnclaveRequest/maximumBatch`` at once; one answer for each, in that order, for the same context.
    func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>]
    /// A private key for a row, sealed under a row key that is never shown.
    ///
    /// - Parameter use: given where it moves from a row with constraints.
    func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey
    /// Does something with a private key of a row, which is never shown.
    ///
    /// - Parameter use: given where the row has constraints.
    func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes
}

/// For whom the keys of rows with constraints are asked for; called for such rows alone.
package typealias KeyUser = (_ operation: AccessConstraints.Operation) -> KeyUse?

extension StoreKeySource {
    package var holders: KeyHolders? { nil }
    package var properties: StoreProperties { [:] }

    package func makeKey(
        _: KeySource, at _: RowContext, for _: KeyUse?, in _: StoreIdentifier
    ) throws(KeychainError) -> MadeKey { throw .noPrivateKeys }

    package func useKey(
        _: SealedKey, _: KeyTask, for _: KeyUse?, in _: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes { throw .noPrivateKeys }
}

extension KeychainError {
    /// Of a source that has no process to calculate in.
    fileprivate static var noPrivateKeys: KeychainError {
        KeychainError(.unimplemented, "nobody here calculates with private keys")
    }
}
