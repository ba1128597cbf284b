import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing

/// The keys of file keychains, asked of the key custodian.
///
/// A keychain that is locked, or that was unlocked in a custodian that has ended, fails with the cause `locked`.
package struct FileKeychainKeySource: KeychainKeySource {
    private let source: EnclaveKeySource

    package init(enclave: EnclaveConnection) { source = EnclaveKeySource(enclave: enclave) }

    package var holders: KeyHolders? { source.holders }

    /// Opens an unlocked keychain.
    ///
    /// - Parameter isEmpty: ignored, since there is no keybag to make.
    package func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        try source.enclave.openKeychain(store)
    }

    package func closeStore(_ store: StoreIdentifier) {
        do throws(KeychainError) { try source.enclave.lockKeychain(store) } catch {
            source.enclave.log.error("the key custodian does not lock a keychain", ["reason": error.reason])
        }
    }

    /// Does nothing, since there is no keybag that could note it.
    package func noteMark(of store: StoreIdentifier) {}

    package func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        try whileUnlocked(store) { () throws(KeychainError) in
            try source.metadataKeyForSealing(accessibility, in: store)
        }
    }

    package func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        try whileUnlocked(store) { () throws(KeychainError) in try source.metadataKey(id: id, in: store) }
    }

    /// No superseded keys: those of a file keychain are never replaced.
    package func supersededKeys(of store: StoreIdentifier) -> (ids: [UInt32], lock: LockState) { ([], .unlocked) }

    package func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        guard ids.isEmpty else { throw KeychainError(.param, "no key of a file keychain is ever destroyed") }
    }

    package func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        try whileUnlocked(store) { () throws(KeychainError) in
            try source.createRowKeys(contexts, for: use, in: store)
        }
    }

    package func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        try whileUnlocked(store) { () throws(KeychainError) in try source.openRowKeys(keys, for: use, in: store) }
    }

    package func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] {
        try whileUnlocked(store) { () throws(KeychainError) in try source.rewrapRowKeys(keys, in: store) }
    }

    package func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey {
        try whileUnlocked(store) { () throws(KeychainError) in try source.makeKey(key, at: place, for: use, in: store) }
    }

    package func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes {
        try whileUnlocked(store) { () throws(KeychainError) in try source.useKey(key, task, for: use, in: store) }
    }

    /// Runs `ask`, and turns the error of a locked keychain into the cause `locked`.
    ///
    /// The custodian does not know a locked keychain, and refuses it like any store that is not open. A second request
    /// tells whether it is locked.
    private func whileUnlocked<Answer>(
        _ store: StoreIdentifier, _ ask: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        do throws(KeychainError) { return try ask() } catch {
            if error.cause == .storeNotOpen { _ = try source.enclave.openKeychain(store) }
            throw error
        }
    }
}
