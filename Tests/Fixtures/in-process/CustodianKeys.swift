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

    private func ask<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Reply {
        try custodian.answer(request).get()
    }

    package func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        try ask(OpenStore(store, isEmpty: isEmpty))
    }

    package func noteMark(of store: StoreIdentifier) throws(KeychainError) {
        _ = try ask(NoteMark(store))
    }

    package func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        try ask(ReadMetadataKeyForSealing(accessibility, in: store))
    }

    package func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        try ask(ReadMetadataKey(id: id, in: store))
    }

    package func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        let report = try ask(ReadPasscodeStatus(.agent, in: store))
        return (report.supersededKeys, report.state)
    }

    package func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        _ = try ask(DestroyKeys(ids, in: store))
    }

    package func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        try ask(CreateRowKeys(contexts, for: use, in: store))
    }

    package func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        try ask(OpenRowKeys(keys, for: use, in: store))
    }

    package func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] {
        let results = try ask(RewrapRowKeys(keys, in: store))
        return zip(keys, results).map { $0.replaced(by: $1) }
    }

    package func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey {
        try ask(MakeSealedKey(key, at: place, for: use, in: store))
    }

    package func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes {
        note(key)
        return try ask(UseSealedKey(key, task, for: use, in: store)).bytes
    }
}
