import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// The source of the keys of stores: a connection to the key custodian.
///
/// Every request names its store, which ``openStore(_:isEmpty:)`` has opened before. The members are called from any
/// thread, concurrently, and never while a transaction is open. They throw the statuses that ``EnclaveRequest`` lists:
/// `errSecInteractionNotAllowed` stands for a locked class and `errSecDecode` for damage.
package protocol StoreKeySource: Sendable {
    /// The registry that tells stores to forget their keys; nil where no class is ever locked.
    var holders: KeyHolders? { get }
    /// The initial properties of a database that replaces a damaged one; see ``StoreKind/properties``.
    var properties: StoreProperties { get }
    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys
    /// Has the keybag record that the store has a mark, so that a later opening notices a missing one.
    func noteMark(of store: StoreIdentifier) throws(KeychainError)
    func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey
    func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey
    /// The replaced keys that are to be destroyed, and the classes that are unlocked now.
    func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState)
    func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError)
    /// Makes row keys; answers one for each context, in their order.
    ///
    /// - Parameters:
    ///   - contexts: at most ``EnclaveWire/maximumBatch``.
    ///   - use: set where a row has constraints.
    func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey]
    /// Unwraps row keys; answers one result for each, in their order.
    ///
    /// - Parameters:
    ///   - keys: at most ``EnclaveWire/maximumBatch``.
    ///   - use: set where a row has constraints.
    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys
    /// Wraps the keys of rows with constraints anew by the present class keys, without revealing them.
    ///
    /// No constraint has to be satisfied. At most ``EnclaveWire/maximumBatch`` keys at once; one answer for each, in
    /// their order, for the same context.
    func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>]
    /// Makes a private key for a row, sealed under a row key that is never revealed.
    ///
    /// - Parameter use: set where the key moves from a row with constraints.
    func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey
    /// Carries out a task with the private key of a row, without revealing it.
    ///
    /// - Parameter use: set where the row has constraints.
    func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes
}

/// Names the user for whom the key of a row with constraints is asked for; called for such rows only.
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
    /// The error of a source without a process that calculates with private keys.
    fileprivate static var noPrivateKeys: KeychainError {
        KeychainError(.unimplemented, "nobody here calculates with private keys")
    }
}
