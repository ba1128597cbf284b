import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import ItemStore
import Sealing

/// The keys of a store, from a key custodian in this process: the work of enclaved without a socket.
package struct CustodianKeys: StoreKeySource {
    let custodian: Enclave
    /// Receives each private key that is used, sealed as in its row.
    private let note: @Sendable (SealedKey) -> Void

    package init(_ custodian: Enclave, noting note: @escaping @Sendable (SealedKey) -> Void = { _ in }) {
        self.custodian = custodian
        self.note = note
    }

    private static let confused = KeychainError(.internalComponent, "the custodian answered something else")

    private func ask(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        let reply = custodian.answer(request)
        if case .failure(let error) = reply { throw error }
        return reply
    }

    package func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        guard case .store(let keys) = try ask(.openStore(store, isEmpty: isEmpty)) else { throw Self.confused }
        return keys
    }

    package func noteMark(of store: StoreIdentifier) throws(KeychainError) {
        guard case .done = try ask(.noteMark(store)) else { throw Self.confused }
    }

    package func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try ask(.metadataKeyForSealing(accessibility, in: store)) else {
            throw Self.confused
        }
        return key
    }

    package func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        guard case .metadataKey(let key) = try ask(.metadataKey(id: id, in: store)) else { throw Self.confused }
        return key
    }

    package func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        guard case .passcode(let report) = try ask(.passcodeStatus(.agent, in: store)) else { throw Self.confused }
        return (report.supersededKeys, report.state)
    }

    package func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        guard case .done = try ask(.destroyKeys(ids, in: store)) else { throw Self.confused }
    }

    package func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        guard case .newRowKeys(let keys) = try ask(.createRowKeys(contexts, for: use, in: store)) else {
            throw Self.confused
        }
        return keys
    }

    package func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        guard case .rowKeys(let keys) = try ask(.openRowKeys(keys, for: use, in: store)) else { throw Self.confused }
        return keys
    }

    package func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] {
        guard case .rewrappedRowKeys(let results) = try ask(.rewrapRowKeys(keys, in: store)) else {
            throw Self.confused
        }
        return zip(keys, results).map { $0.replaced(by: $1) }
    }

    package func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey {
        guard case .madeKey(let key) = try ask(.makeKey(key, at: place, for: use, in: store)) else {
            throw Self.confused
        }
        return key
    }

    package func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes {
        note(key)
        guard case .keyResult(let bytes) = try ask(.useKey(key, task, for: use, in: store)) else { throw Self.confused }
        return bytes
    }
}
