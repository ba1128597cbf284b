import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing

/// The keys of an ``ItemStore``, asked of the key custodian.
struct EnclaveKeySource: StoreKeySource {
    let enclave: EnclaveConnection

    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        try enclave.openStore(store, isEmpty: isEmpty)
    }

    func noteMark() throws(KeychainError) {
        guard case .done = try enclave.call(.noteMark) else { throw EnclaveConnection.confused }
    }

    func metadataKeyForSealing(_ accessibility: Accessibility) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try enclave.call(.metadataKeyForSealing(accessibility)) else {
            throw EnclaveConnection.confused
        }
        return key
    }

    func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try enclave.call(.metadataKey(id: id)) else {
            throw EnclaveConnection.confused
        }
        return key
    }

    func createRowKeys(_ contexts: [RowContext]) throws(KeychainError) -> [NewRowKey] {
        guard case .newRowKeys(let keys) = try enclave.call(.createRowKeys(contexts)), keys.count == contexts.count
        else { throw EnclaveConnection.confused }
        return keys
    }

    func openRowKeys(_ keys: [WrappedRowKey]) throws(KeychainError) -> [Result<SecretBytes, KeychainError>] {
        guard case .rowKeys(let results) = try enclave.call(.openRowKeys(keys)), results.count == keys.count
        else { throw EnclaveConnection.confused }
        return results
    }
}
