import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing

/// A source of keys for a ``KeychainSlot``, which closes the store that it replaces.
package protocol KeychainKeySource: StoreKeySource {
    /// Closes a store.
    ///
    /// No request about it follows until it is opened again.
    func closeStore(_ store: StoreIdentifier)
}

extension RowContext {
    fileprivate var needsDerivation: Bool { constraints?.needsApplicationPassword ?? false }
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
        _ = try enclave.call(NoteMark(store))
    }

    package func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        try enclave.call(ReadMetadataKeyForSealing(accessibility, in: store))
    }

    package func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        try enclave.call(ReadMetadataKey(id: id, in: store))
    }

    package func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        let report = try enclave.call(ReadPasscodeStatus(.agent, in: store))
        return (report.supersededKeys, report.state)
    }

    package func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        _ = try enclave.call(DestroyKeys(ids, in: store))
    }

    package func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        if use != nil, contexts.count > 1, contexts.contains(where: \.needsDerivation) {
            return try contexts.map { context throws(KeychainError) in
                try createRowKeys([context], for: use, in: store)[0]
            }
        }
        let request = CreateRowKeys(contexts, for: use, in: store)
        let keys = try call(request, about: contexts.lazy.map(\.constraints), for: use)
        guard keys.count == contexts.count else { throw EnclaveConnection.confused }
        return keys
    }

    package func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        if use != nil, keys.count > 1, keys.contains(where: \.context.needsDerivation) {
            return OpenedRowKeys(
                try keys.map { key throws(KeychainError) in try openRowKeys([key], for: use, in: store)[0] })
        }
        let request = OpenRowKeys(keys, for: use, in: store)
        let results = try call(request, about: keys.lazy.map(\.context.constraints), for: use)
        guard results.count == keys.count else { throw EnclaveConnection.confused }
        return results
    }

    package func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] {
        let results = try enclave.call(RewrapRowKeys(keys, in: store))
        guard results.count == keys.count else { throw EnclaveConnection.confused }
        return zip(keys, results).map { $0.replaced(by: $1) }
    }

    package func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey {
        try enclave.makeKey(MakeSealedKey(key, at: place, for: use, in: store))
    }

    package func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes {
        try enclave.useKey(UseSealedKey(key, task, for: use, in: store))
    }

    /// Sends a request about rows.
    ///
    /// One that derives keys from a program's password waits for its turn with one key at a time, so that all waiting
    /// requests advance. So does one for which the reader of biometrics may be asked.
    private func call<Request: EnclaveRequest>(
        _ request: Request, about rows: some Sequence<AccessConstraints?>, for use: KeyUse?
    ) throws(KeychainError) -> Request.Reply {
        var (derives, asksReader) = (false, false)
        for case let constraints? in rows {
            derives = derives || use != nil && constraints.needsApplicationPassword
            asksReader = asksReader || constraints.asksForBiometric
        }
        return derives
            ? try enclave.callDeriving(request)
            : asksReader ? try enclave.callAskingReader(request) : try enclave.call(request)
    }
}
