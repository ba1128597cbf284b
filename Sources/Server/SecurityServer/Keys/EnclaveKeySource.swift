import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing

/// Keys for a ``KeychainSlot``, which lets go of a store's when it has another one.
package protocol KeychainKeySource: StoreKeySource {
    /// Nothing is asked for that store any more, until it is opened again.
    func closeStore(_ store: StoreIdentifier)
}

/// The keys of stores, asked of the key custodian.
package struct EnclaveKeySource: KeychainKeySource {
    let enclave: EnclaveConnection

    package init(enclave: EnclaveConnection) { self.enclave = enclave }

    package var holders: KeyHolders? { enclave.holders }

    package func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        try enclave.openStore(store, isEmpty: isEmpty)
    }

    package func closeStore(_ store: StoreIdentifier) { enclave.closeStore(store) }

    package func noteMark(of store: StoreIdentifier) throws(KeychainError) {
        guard case .done = try enclave.call(.noteMark(store)) else { throw EnclaveConnection.confused }
    }

    package func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try enclave.call(.metadataKeyForSealing(accessibility, in: store)) else {
            throw EnclaveConnection.confused
        }
        return key
    }

    package func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try enclave.call(.metadataKey(id: id, in: store)) else {
            throw EnclaveConnection.confused
        }
        return key
    }

    package func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        guard case .passcode(let report) = try enclave.call(.passcodeStatus(.agent, in: store)) else {
            throw EnclaveConnection.confused
        }
        return (report.supersededKeys, report.state)
    }

    package func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        guard case .done = try enclave.call(.destroyKeys(ids, in: store)) else { throw EnclaveConnection.confused }
    }

    package func createRowKeys(_ contexts: [RowContext], in store: StoreIdentifier) throws(KeychainError) -> [NewRowKey]
    {
        guard case .newRowKeys(let keys) = try enclave.call(.createRowKeys(contexts, in: store)),
            keys.count == contexts.count
        else { throw EnclaveConnection.confused }
        return keys
    }

    package func openRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<SecretBytes, KeychainError>] {
        guard case .rowKeys(let results) = try enclave.call(.openRowKeys(keys, in: store)),
            results.count == keys.count
        else { throw EnclaveConnection.confused }
        return results
    }
}
