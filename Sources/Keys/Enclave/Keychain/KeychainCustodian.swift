import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing

/// One unlocked file keychain: its master key, and the keys derived from it.
///
/// Nothing of it is on disk here, and nothing changes. Removing it locks the keychain. Requests in progress keep it
/// until they end.
final class KeychainCustodian: RowKeyCustodian {
    /// The only id of its keys, because none of them is ever replaced.
    static let keyID: UInt32 = 1
    /// The number of row keys that are kept, since programs look up the same items repeatedly.
    ///
    /// When it is reached, all are forgotten.
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

    /// Whether both are the same keychain, and not two with the same identifier and index.
    func isSame(as other: KeychainCustodian) -> Bool { master == other.master && indexKey == other.indexKey }

    /// The keys that securityd gets; a keybag derives them from the UID key.
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

    /// Throws, because the file opens with its password on any machine.
    func requireDevice() throws(KeychainError) {
        throw KeychainError(.param, "a key of the enclave stays on this device, and a file keychain does not")
    }

    /// The key for attributes.
    ///
    /// It authenticates and never encrypts, so its uses need no count.
    func metadataKeyForSealing(_ accessibility: Accessibility) -> MetadataKey {
        MetadataKey(id: Self.keyID, key: attributes, sealsGranted: .max)
    }

    func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey {
        try Self.check(id)
        return MetadataKey(id: id, key: attributes, sealsGranted: 0)
    }

    /// An unlocked keychain opens rows of every protection class.
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

    /// Derives the wrapping key of a row.
    ///
    /// Each row has its own, which makes one seal for each version of the row, so no seals need counting.
    private func wrappingKey(of row: RowContext) throws(KeychainError) -> WrappingKey {
        guard row.keyCustody != .detached else {
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

/// The purpose of a key of a file keychain.
///
/// The names are part of the derivation, so they never change (`file-keychain-header.md`).
enum KeychainKeyPurpose: String, CaseIterable {
    /// Wraps the master key; derived from a password.
    case password = "chatelaine keychain password key"
    /// The check value; derived from a password.
    case check = "chatelaine keychain password check"
    /// Authenticates attributes; derived from the master key, as the next.
    case attributes = "chatelaine keychain attributes"
    /// Derives the key of each row.
    case rows = "chatelaine keychain rows"
    /// Wraps the key of one row; derived from the key before.
    case row = "chatelaine keychain row"
}
