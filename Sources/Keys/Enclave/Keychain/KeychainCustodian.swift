import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing

/// One unlocked file keychain: its master key, and all that comes of it. Nothing of it is on disk here, and nothing of it changes.
///
/// Whoever lets go of it has locked the keychain. Requests that are under way keep it until they end.
final class KeychainCustodian: RowKeyCustodian {
    /// The one number of its keys: none of them is ever replaced.
    static let keyID: UInt32 = 1
    /// Keys of rows that are kept, since programs look for the same items again and again; one more has all of them forgotten.
    static let maximumRowKeys = 256

    let store: StoreIdentifier
    private let master: SecretBytes
    private let rows: SecretBytes
    private let attributes: SecretBytes
    private let indexKey: SecretBytes
    private let rowKeys = AdaptiveMutex<[ItemIdentifier: SealingKey]>([:])

    init(_ terms: KeychainHeader.Terms, master: SecretBytes) {
        store = terms.store
        self.master = master
        rows = KeyDerivation.key(from: master, purpose: KeychainKeyPurpose.rows.rawValue, subject: terms.store.value)
        attributes = KeyDerivation.key(
            from: master, purpose: KeychainKeyPurpose.attributes.rawValue, subject: terms.store.value)
        indexKey = terms.indexKey
    }

    /// Whether two are of one keychain, and of no other that somebody gave its identifier and index.
    func isSame(as other: KeychainCustodian) -> Bool { master == other.master && indexKey == other.indexKey }

    /// The keys that securityd gets; a keybag has them from the UID key.
    var keys: StoreKeys {
        StoreKeys(keybag: KeybagIdentifier(store.value)) { purpose in
            guard purpose != .index else { return indexKey }
            return KeyDerivation.key(from: master, purpose: purpose.name, subject: store.value)
        }
    }

    var constraintKeybag: KeybagCustodian {
        get throws(KeychainError) {
            throw KeychainError(.param, "items of file keychains have no constraints (SecAccessControl)")
        }
    }

    /// The file opens with its password wherever it is taken.
    func requireDevice() throws(KeychainError) {
        throw KeychainError(.param, "a key of the enclave stays on this device, and a file keychain does not")
    }

    /// It authenticates and never encrypts, so that nothing is counted.
    func metadataKeyForSealing(_ accessibility: Accessibility) -> MetadataKey {
        MetadataKey(id: Self.keyID, key: attributes, sealsGranted: .max)
    }

    func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey {
        try Self.check(id)
        return MetadataKey(id: id, key: attributes, sealsGranted: 0)
    }

    /// While it is unlocked, whatever protection class a row names.
    func check(_ classes: some Sequence<Accessibility>) {}

    func wrappingKeys(for rows: [RowContext]) throws(KeychainError) -> [WrappingKey] {
        try rows.map { row throws(KeychainError) in try wrappingKey(of: row) }
    }

    func wrappingKey(
        _ id: UInt32, of row: RowContext, after last: WrappingKey?
    ) throws(KeychainError) -> WrappingKey {
        try Self.check(id)
        return try wrappingKey(of: row)
    }

    /// Each row has its own, which makes one seal for each version of the row. So no seals have to be counted, here or in the file.
    private func wrappingKey(of row: RowContext) throws(KeychainError) -> WrappingKey {
        guard row.privateKeyUse != .detached else {
            throw KeychainError(.param, "a key that its program keeps is one of the data protection keychain")
        }
        if let key = rowKeys.withLock({ $0[row.row] }) { return WrappingKey(id: Self.keyID, key: key) }
        let key = try SealingKey(
            KeyDerivation.key(from: rows, purpose: KeychainKeyPurpose.row.rawValue, subject: row.row.value))
        rowKeys.withLock { keys in
            if keys.count >= Self.maximumRowKeys { keys.removeAll(keepingCapacity: true) }
            keys[row.row] = key
        }
        return WrappingKey(id: Self.keyID, key: key)
    }

    private static func check(_ id: UInt32) throws(KeychainError) {
        guard id == keyID else {
            throw KeychainError(
                .decode, "unknown key id \(id): a file keychain has key \(keyID) alone; the row is damaged")
        }
    }
}

/// What a key of a file keychain is for. The names are part of the derivation: they never change (`file-keychain-header.md`).
enum KeychainKeyPurpose: String, CaseIterable {
    /// Wraps the master key; of a password.
    case password = "chatelaine keychain password key"
    /// Is the check value; of a password.
    case check = "chatelaine keychain password check"
    /// Authenticates attributes; of the master key, as the next.
    case attributes = "chatelaine keychain attributes"
    /// Gives each row its key.
    case rows = "chatelaine keychain rows"
    /// Wraps the key of one row; of the one before.
    case row = "chatelaine keychain row"
}
