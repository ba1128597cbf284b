import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing
import Synchronization

/// A custodian of file keychains in this process, with real seals.
///
/// A header is the digest of its password alone, and holds nothing of the keychain.
final class FakeCustodian: StoreKeySource {
    private struct State {
        var open: Set<StoreIdentifier> = []
        var roots: [StoreIdentifier: SecretBytes] = [:]
    }

    private let state = Mutex(State())

    init() {}

    private static func key(_ root: SecretBytes, _ purpose: String) -> SecretBytes {
        SecretBytes(KeyedDigest(root).withDigest(of: UnsafeRawBufferPointer(start: nil, count: 0), Array(purpose.utf8)))
    }

    /// Makes a keychain's keys, as the argument of ``FileKeychain/create(_:)``.
    func make(_ password: String) -> @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8] {
        { (keychain) throws(KeychainError) in
            self.state.withLock { state in
                state.roots[keychain] = SecretBytes(Array("root of \(keychain.bytes) with 32 bytes.".utf8.prefix(32)))
                state.open.insert(keychain)
            }
            return self.header(password)
        }
    }

    /// The header that a password gives.
    func header(_ password: String) -> [UInt8] { Array("header:\(password)".utf8) }

    /// Opens a keychain's keys, as the argument of ``FileKeychain/unlock(_:)``.
    func open(
        _ password: String
    ) -> (StoreIdentifier, [UInt8]) throws(KeychainError) -> Bool {
        { (keychain, header) throws(KeychainError) in
            guard header == self.header(password) else { return false }
            self.state.withLock { state in
                if state.roots[keychain] == nil {
                    state.roots[keychain] = SecretBytes(
                        Array("root of \(keychain.bytes) with 32 bytes.".utf8.prefix(32)))
                }
                _ = state.open.insert(keychain)
            }
            return true
        }
    }

    func forget(_ keychain: StoreIdentifier) { _ = state.withLock { $0.open.remove(keychain) } }

    func index(_ header: [UInt8]) -> SecretBytes { SecretBytes([UInt8](repeating: 9, count: 32)) }

    private func root(_ keychain: StoreIdentifier) throws(KeychainError) -> SecretBytes {
        try state.withLock { (state) throws(KeychainError) in
            guard state.open.contains(keychain), let root = state.roots[keychain] else {
                throw KeychainError(cause: .locked, "the keychain is locked")
            }
            return root
        }
    }

    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        let root = try root(store)
        guard let keybag = KeybagIdentifier(store.bytes) else { throw KeychainError(.internalComponent, "16 bytes") }
        return StoreKeys(keybag: keybag) { purpose in
            purpose == .index ? index([]) : Self.key(root, purpose.name)
        }
    }

    func noteMark(of store: StoreIdentifier) throws(KeychainError) {}

    func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey { try metadataKey(id: 1, in: store) }

    func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        guard id == 1 else { throw KeychainError(.decode, "unknown key") }
        return MetadataKey(id: 1, key: Self.key(try root(store), "attributes"), sealsGranted: .max)
    }

    func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        ([], .unlocked)
    }

    func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {}

    func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        let wrapping = try SealingKey(Self.key(try root(store), "rows"))
        var keys: [NewRowKey] = []
        for context in contexts {
            let key = SecretBytes((0..<32).map { _ in UInt8.random(in: .min ... .max) })
            let wrapped = try wrapping.seal(key, for: SealContext(.rowKey, keyID: 1, row: context))
            keys.append(NewRowKey(classKeyID: 1, key: key, wrapped: wrapped, constraints: nil))
        }
        return keys
    }

    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        let wrapping = try SealingKey(Self.key(try root(store), "rows"))
        return OpenedRowKeys(
            keys.map { key in
                key.wrapped.withUnsafeBytes { bytes in
                    Result { () throws(KeychainError) in
                        try wrapping.open(bytes, for: SealContext(.rowKey, keyID: key.classKeyID, row: key.context))
                    }
                }
            })
    }

    func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] { keys.map { .success($0) } }
}

extension KeyedDigest {
    fileprivate func withDigest(of first: UnsafeRawBufferPointer, _ second: [UInt8]) -> [UInt8] {
        second.withUnsafeBytes { withDigest(of: first, $0) { [UInt8]($0) } }
    }
}
