import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import ItemStore
import Sealing

/// The keys of a store, from a key custodian in this process: what enclaved does, without the socket between.
package struct CustodianKeys: StoreKeySource {
    let session: EnclaveSession
    /// Whether the keybag is told of the store's mark; before format 3 there was nothing to tell.
    let isMarking: Bool

    package init(session: EnclaveSession, isMarking: Bool = true) {
        self.session = session
        self.isMarking = isMarking
    }

    private static let confused = KeychainError(.internalComponent, "the custodian answered something else")

    private func ask(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        let reply = session.answer(request)
        if case .failure(let error) = reply { throw error }
        return reply
    }

    package func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        guard case .store(let keys) = try ask(.openStore(store, isEmpty: isEmpty)) else { throw Self.confused }
        return keys
    }

    package func noteMark() throws(KeychainError) {
        guard isMarking else { return }
        guard case .done = try ask(.noteMark) else { throw Self.confused }
    }

    package func metadataKeyForSealing(_ accessibility: Accessibility) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try ask(.metadataKeyForSealing(accessibility)) else { throw Self.confused }
        return key
    }

    package func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try ask(.metadataKey(id: id)) else { throw Self.confused }
        return key
    }

    package func createRowKeys(_ contexts: [RowContext]) throws(KeychainError) -> [NewRowKey] {
        guard case .newRowKeys(let keys) = try ask(.createRowKeys(contexts)) else { throw Self.confused }
        return keys
    }

    package func openRowKeys(_ keys: [WrappedRowKey]) throws(KeychainError) -> [Result<SecretBytes, KeychainError>] {
        guard case .rowKeys(let keys) = try ask(.openRowKeys(keys)) else { throw Self.confused }
        return keys
    }
}
