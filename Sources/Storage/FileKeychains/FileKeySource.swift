import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing
import StoreEngine
import Synchronization

/// The custodian's keys for one file keychain, with the header that opened them, and the keychain's settings.
///
/// A database that replaces a damaged one begins with this header, since no other would open its rows, and these
/// settings.
final class FileKeySource: StoreKeySource {
    /// Makes the keys of a new keychain; answers its header.
    typealias Maker = @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8]

    private let base: any StoreKeySource
    private let maker: Maker?
    private let current: Mutex<[UInt8]?>
    private let settings: Mutex<[UInt8]?>

    /// Makes the source of an existing keychain whose keys the custodian has open.
    init(_ base: any StoreKeySource, header: [UInt8], settings: [UInt8]?) {
        self.base = base
        maker = nil
        current = Mutex(header)
        self.settings = Mutex(settings)
    }

    /// Makes the source of a keychain that is being made.
    init(_ base: any StoreKeySource, making maker: @escaping Maker) {
        self.base = base
        self.maker = maker
        current = Mutex(nil)
        settings = Mutex(nil)
    }

    var header: [UInt8]? { current.withLock { $0 } }
    func note(header: [UInt8]) { current.withLock { $0 = header } }
    func note(settings new: [UInt8]) { settings.withLock { $0 = new } }

    var holders: KeyHolders? { base.holders }
    var properties: StoreProperties {
        guard let header else { return [:] }
        let properties = StoreProperties.header(header).merging(.inUse(true)) { $1 }
        return settings.withLock { $0 }.map { properties.merging(.settings($0)) { $1 } } ?? properties
    }

    /// The header that opened the keychain, to be written where the file has another one: that is a garbled one, or
    /// none.
    func headerToMend(in store: ItemStore) throws(KeychainError) -> StoreProperties {
        guard let header, try store.properties().header != header else { return [:] }
        return .header(header)
    }

    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        if let maker, header == nil { note(header: try maker(store)) }
        return try base.openStore(store, isEmpty: false)
    }

    /// Does nothing: another machine has no mark of the keychain, and its absence is no loss.
    func noteMark(of store: StoreIdentifier) throws(KeychainError) {}

    func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey { try base.metadataKeyForSealing(accessibility, in: store) }

    func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        try base.metadataKey(id: id, in: store)
    }

    func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        ([], .unlocked)
    }

    func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        throw KeychainError(.internalComponent, "keys of a file keychain were to be destroyed")
    }

    func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] { try base.createRowKeys(contexts, for: use, in: store) }

    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys { try base.openRowKeys(keys, for: use, in: store) }

    func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] { try base.rewrapRowKeys(keys, in: store) }

    func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey { try base.makeKey(key, at: place, for: use, in: store) }

    func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes { try base.useKey(key, task, for: use, in: store) }
}
