import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

@testable import Enclave
@testable import ItemStore

/// Keys that are the same in every run, so that an input has the same meaning in every run.
struct FixedKeys: StoreKeySource {
    static let store = StoreIdentifier(Bytes16(repeating: 0x5A))
    static let keybag = KeybagIdentifier(Bytes16(repeating: 0x4B))
    static let metadataKeyID: UInt32 = 7
    static let classKeyID: UInt32 = 3

    static let indexKey = SecretBytes([UInt8](repeating: 0x11, count: Sealing.keyByteCount))
    static let metadataKey = SecretBytes([UInt8](repeating: 0x22, count: Sealing.keyByteCount))
    static let classKey = SecretBytes([UInt8](repeating: 0x33, count: Sealing.keyByteCount))
    static let uidKey = SecretBytes([UInt8](repeating: 0x44, count: Sealing.keyByteCount))

    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        var keys = StoreKeys(keybag: Self.keybag) { _ in Self.indexKey }
        keys.isMarked = !isEmpty
        return keys
    }

    func noteMark(of store: StoreIdentifier) throws(KeychainError) {}

    func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        MetadataKey(id: Self.metadataKeyID, key: Self.metadataKey, sealsGranted: 1000)
    }

    func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        guard id == Self.metadataKeyID else { throw KeychainError(.decode, "unknown key id") }
        return MetadataKey(id: id, key: Self.metadataKey, sealsGranted: 0)
    }

    func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        ([], .unlocked)
    }

    func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {}

    func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        let classKey = try SealingKey(Self.classKey)
        var keys: [NewRowKey] = []
        for context in contexts {
            let key = KeyDerivation.randomKey()
            let wrapped = try classKey.seal(key, for: SealContext(.rowKey, keyID: Self.classKeyID, row: context))
            keys.append(
                NewRowKey(
                    classKeyID: Self.classKeyID, key: key, wrapped: wrapped, constraints: context.constraints))
        }
        return keys
    }

    /// Returns the keys as they are: they are already current.
    func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] { keys.map { .success($0) } }

    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        OpenedRowKeys(
            keys.map { wrapped in
                Result { () throws(KeychainError) in
                    let context = SealContext(.rowKey, keyID: wrapped.classKeyID, row: wrapped.context)
                    return try SealingKey(Self.classKey).open(wrapped.wrapped, for: context)
                }
            })
    }
}

/// A backend whose UID key is ``FixedKeys/uidKey``.
struct FixedBackend: KeyBackend {
    let name = "fixed"

    func create() throws(KeychainError) {}
    func unlock() throws(KeychainError) -> Bool { true }
    func mark() throws(KeychainError) -> [UInt8] { UIDKeyFile.mark(of: FixedKeys.uidKey) }

    func wrap(
        _ key: SecretBytes, for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> [UInt8] {
        try SealingKey(FixedKeys.uidKey).seal(key, for: context)
    }

    func unwrap(
        _ wrapped: [UInt8], for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> SecretBytes {
        try SealingKey(FixedKeys.uidKey).open(wrapped, for: context)
    }

    func derive(_ purpose: DerivedKeyPurpose, for subject: Bytes16) throws(KeychainError) -> SecretBytes {
        KeyDerivation.key(from: FixedKeys.uidKey, purpose: purpose.name, subject: subject)
    }
}
