import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing

/// A source of keys that has another one answer, except where its own type does something else.
///
/// Private keys are not passed on.
package protocol ForwardingKeys: StoreKeySource {
    associatedtype Keys: StoreKeySource
    var keys: Keys { get }
}

extension ForwardingKeys {
    package func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        try keys.openStore(store, isEmpty: isEmpty)
    }

    package func noteMark(of store: StoreIdentifier) throws(KeychainError) { try keys.noteMark(of: store) }

    package func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey { try keys.metadataKeyForSealing(accessibility, in: store) }

    package func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        try keys.metadataKey(id: id, in: store)
    }

    package func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        try keys.supersededKeys(of: store)
    }

    package func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        try keys.destroyKeys(ids, of: store)
    }

    package func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] { try keys.createRowKeys(contexts, for: use, in: store) }

    package func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        try self.keys.openRowKeys(keys, for: use, in: store)
    }

    package func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] {
        try self.keys.rewrapRowKeys(keys, in: store)
    }
}
