import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing
import Synchronization

/// A key custodian in this process, with real keys and real seals, whose classes can be locked and lost.
final class FakeKeySource: StoreKeySource {
    struct State {
        var keybag = KeybagIdentifier()
        var locked: Set<Accessibility> = []
        /// Metadata keys by id; ids count on from 100.
        var metadata: [UInt32: (Accessibility, SecretBytes)] = [:]
        var current: [Accessibility: UInt32] = [:]
        /// Metadata keys that there were.
        var destroyed: Set<UInt32> = []
        /// Runs when a metadata key is on its way to whoever asked for it.
        var afterOpening: (@Sendable () -> Void)?
        var sealsGranted: UInt32 = 1000
        /// Stores that have a keybag.
        var stores: Set<StoreIdentifier> = []
        var opened: [(store: StoreIdentifier, isEmpty: Bool)] = []
        var rowKeyRequests: [Int] = []
        /// Whether the keybag says that the store has a mark, and how often it was written.
        var isMarked = false
        var keybagGeneration: UInt64 = 1
        /// Runs before row keys are made: a moment in which no transaction may be open.
        var beforeCreating: (@Sendable () -> Void)?
    }

    let state = Mutex(State())
    private let storeKeys = StoreKeyPurpose.allCases.map { _ in FakeKeySource.random() }
    private let classKeys = Dictionary(
        uniqueKeysWithValues: Accessibility.allCases.map { ($0, FakeKeySource.random()) })

    static func random() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return SecretBytes((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static let locked = KeychainError(.interactionNotAllowed, "the class is locked")

    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        try state.withLock { (state) throws(KeychainError) in
            state.opened.append((store, isEmpty))
            guard isEmpty || state.stores.contains(store) else {
                throw KeychainError(.notAvailable, "the keybag of the store is missing")
            }
            state.stores.insert(store)
            var keys = StoreKeys(keybag: state.keybag) { storeKeys[Int($0.rawValue)] }
            (keys.isMarked, keys.keybagGeneration) = (state.isMarked, state.keybagGeneration)
            return keys
        }
    }

    func noteMark(of store: StoreIdentifier) throws(KeychainError) {
        state.withLock { state in
            state.isMarked = true
            state.keybagGeneration += 1
        }
    }

    func metadataKeyForSealing(
        _ accessibility: Accessibility, in store: StoreIdentifier
    ) throws(KeychainError) -> MetadataKey {
        try state.withLock { (state) throws(KeychainError) in
            guard !state.locked.contains(accessibility) else { throw Self.locked }
            let id: UInt32
            if let current = state.current[accessibility] {
                id = current
            } else {
                id = 100 + UInt32(state.metadata.count)
                state.current[accessibility] = id
                state.metadata[id] = (accessibility, Self.random())
            }
            guard let key = state.metadata[id] else { throw KeychainError(.internalComponent, "no key") }
            return MetadataKey(id: id, key: key.1, sealsGranted: state.sealsGranted)
        }
    }

    func metadataKey(id: UInt32, in store: StoreIdentifier) throws(KeychainError) -> MetadataKey {
        defer { state.withLock { $0.afterOpening }?() }
        return try state.withLock { (state) throws(KeychainError) in
            guard !state.destroyed.contains(id) else { throw KeychainError(.itemNotFound, "the key is destroyed") }
            guard let key = state.metadata[id] else { throw KeychainError(.decode, "unknown key") }
            guard !state.locked.contains(key.0) else { throw Self.locked }
            return MetadataKey(id: id, key: key.1, sealsGranted: 0)
        }
    }

    func createRowKeys(_ contexts: [RowContext], in store: StoreIdentifier) throws(KeychainError) -> [NewRowKey] {
        state.withLock { $0.beforeCreating }?()
        var keys: [NewRowKey] = []
        for context in contexts {
            let key = Self.random()
            let id = UInt32(context.accessibility.rawValue)
            keys.append(
                NewRowKey(
                    classKeyID: id, key: key,
                    wrapped: try classKey(context.accessibility).seal(
                        key, for: SealContext(.rowKey, keyID: id, row: context))))
        }
        return keys
    }

    func openRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<SecretBytes, KeychainError>] {
        state.withLock { $0.rowKeyRequests.append(keys.count) }
        return keys.map { wrapped in
            Result { () throws(KeychainError) in
                let key = try classKey(wrapped.context.accessibility)
                let context = SealContext(.rowKey, keyID: wrapped.classKeyID, row: wrapped.context)
                return try wrapped.wrapped.withUnsafeBytes { bytes in
                    Result { () throws(KeychainError) in try key.open(bytes, for: context) }
                }.get()
            }
        }
    }

    private func classKey(_ accessibility: Accessibility) throws(KeychainError) -> SealingKey {
        guard !state.withLock({ $0.locked.contains(accessibility) }) else { throw Self.locked }
        guard let key = classKeys[accessibility] else { throw KeychainError(.decode, "unknown class") }
        return try SealingKey(key)
    }
}
