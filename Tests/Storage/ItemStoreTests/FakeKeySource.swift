import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import Sealing
import Synchronization

/// A key custodian in this process with real keys and real seals, whose classes a test can lock and lose.
final class FakeKeySource: StoreKeySource {
    struct State {
        var keybag = KeybagIdentifier()
        var locked: Set<Accessibility> = []
        /// Metadata keys by id. Ids count up from 100.
        var metadata: [UInt32: (Accessibility, SecretBytes)] = [:]
        var current: [Accessibility: UInt32] = [:]
        /// Runs when a metadata key is on its way to its caller.
        var afterOpening: (@Sendable () -> Void)?
        var sealsGranted: UInt32 = 1000
        /// Stores that have a keybag.
        var stores: Set<StoreIdentifier> = []
        var opened: [(store: StoreIdentifier, isEmpty: Bool)] = []
        var rowKeyRequests: [Int] = []
        /// How many row keys each request made.
        var createdRowKeys: [Int] = []
        /// Whether the keybag says that the store has a mark, and how often it was written.
        var isMarked = false
        var keybagGeneration: UInt64 = 1
        /// Class keys by id. An id is the number of its class, and each replacement adds 10.
        var classKeys: [UInt32: (Accessibility, SecretBytes)] = [:]
        var currentClassKeys: [Accessibility: UInt32] = [:]
        var superseded: Set<UInt32> = []
        /// The ids of metadata and class keys that were destroyed.
        var destroyed: Set<UInt32> = []
        var destructionFails = false
        /// Whether row keys can be wrapped anew without being revealed.
        var wrapsAnew = true
        /// Runs before row keys are made, when no transaction may be open.
        var beforeCreating: (@Sendable () -> Void)?
        /// Runs when row keys are made and not yet used.
        var afterCreating: (@Sendable () -> Void)?
    }

    let state = Mutex(State())
    let holders: KeyHolders?
    private let storeKeys = StoreKeyPurpose.allCases.map { _ in FakeKeySource.random() }

    /// - Parameter holders: nil where nobody is told to forget keys, so that no row keys are made in advance.
    init(holders: KeyHolders? = nil) {
        self.holders = holders
        state.withLock { state in
            for accessibility in Accessibility.allCases {
                let id = UInt32(accessibility.rawValue)
                state.classKeys[id] = (accessibility, Self.random())
                state.currentClassKeys[accessibility] = id
            }
        }
    }

    static func random() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return SecretBytes((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static let locked = KeychainError(cause: .locked, "the class is locked")

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
                id = 100 + UInt32(state.metadata.count + state.destroyed.count)
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
            guard !state.destroyed.contains(id) else {
                throw KeychainError(cause: .keyDestroyed, "the key is destroyed")
            }
            guard let key = state.metadata[id] else { throw KeychainError(.decode, "unknown key") }
            guard !state.locked.contains(key.0) else { throw Self.locked }
            return MetadataKey(id: id, key: key.1, sealsGranted: 0)
        }
    }

    func createRowKeys(
        _ contexts: [RowContext], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> [NewRowKey] {
        state.withLock { $0.beforeCreating }?()
        state.withLock { $0.createdRowKeys.append(contexts.count) }
        var keys: [NewRowKey] = []
        for context in contexts {
            let key = Self.random()
            let id = state.withLock { $0.currentClassKeys[context.accessibility] } ?? 0
            keys.append(
                NewRowKey(
                    classKeyID: id, key: key,
                    wrapped: try classKey(id).seal(
                        key, for: SealContext(.rowKey, keyID: id, row: context)),
                    constraints: context.constraints))
        }
        state.withLock { $0.afterCreating }?()
        return keys
    }

    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> OpenedRowKeys {
        state.withLock { $0.rowKeyRequests.append(keys.count) }
        return OpenedRowKeys(
            keys.map { wrapped in
                Result { () throws(KeychainError) in
                    let key = try classKey(wrapped.classKeyID)
                    let context = SealContext(.rowKey, keyID: wrapped.classKeyID, row: wrapped.context)
                    guard use != nil || !(wrapped.context.constraints?.constrains(.decrypt) ?? false) else {
                        throw KeychainError(.authFailed, "it is for nobody")
                    }
                    return try wrapped.wrapped.withUnsafeBytes { bytes in
                        Result { () throws(KeychainError) in try key.open(bytes, for: context) }
                    }.get()
                }
            })
    }

    func rewrapRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier
    ) throws(KeychainError) -> [Result<WrappedRowKey, KeychainError>] {
        keys.map { former in
            Result { () throws(KeychainError) in
                guard state.withLock({ $0.wrapsAnew }) else { throw Self.locked }
                let formerKey = try classKey(former.classKeyID)
                let formerContext = SealContext(.rowKey, keyID: former.classKeyID, row: former.context)
                let key = try former.wrapped.withUnsafeBytes { bytes in
                    Result { () throws(KeychainError) in try formerKey.open(bytes, for: formerContext) }
                }.get()
                let id = state.withLock { $0.currentClassKeys[former.context.accessibility] } ?? 0
                let wrapped = try classKey(id).seal(key, for: SealContext(.rowKey, keyID: id, row: former.context))
                return WrappedRowKey(classKeyID: id, wrapped: wrapped, context: former.context)
            }
        }
    }

    private func classKey(_ id: UInt32) throws(KeychainError) -> SealingKey {
        let key = try state.withLock { (state) throws(KeychainError) in
            guard let (accessibility, key) = state.classKeys[id] else {
                throw state.destroyed.contains(id)
                    ? KeychainError(cause: .keyDestroyed, "destroyed") : KeychainError(.decode, "unknown class key")
            }
            guard !state.locked.contains(accessibility) else { throw Self.locked }
            return key
        }
        return try SealingKey(key)
    }

    // MARK: Keys that are replaced

    /// Gives each class but Always new keys, as the first passcode does.
    func replaceKeys() {
        state.withLock { state in
            for accessibility in Accessibility.allCases where !Self.stays(accessibility) {
                if let id = state.current.removeValue(forKey: accessibility) { state.superseded.insert(id) }
                guard let id = state.currentClassKeys[accessibility] else { continue }
                state.superseded.insert(id)
                state.classKeys[id + 10] = (accessibility, Self.random())
                state.currentClassKeys[accessibility] = id + 10
            }
        }
    }

    private static func stays(_ accessibility: Accessibility) -> Bool {
        accessibility == .always || accessibility == .alwaysThisDeviceOnly
    }

    func supersededKeys(of store: StoreIdentifier) throws(KeychainError) -> (ids: [UInt32], lock: LockState) {
        state.withLock { state in
            let isOpen = state.locked.isEmpty
            let isAllLocked = Accessibility.allCases.allSatisfy { state.locked.contains($0) || Self.stays($0) }
            return (state.superseded.sorted(), isOpen ? .unlocked : isAllLocked ? .beforeFirstUnlock : .locked)
        }
    }

    func destroyKeys(_ ids: [UInt32], of store: StoreIdentifier) throws(KeychainError) {
        try state.withLock { (state) throws(KeychainError) in
            guard !state.destructionFails else { throw KeychainError(.notAvailable, "the disk is full") }
            for id in ids {
                state.classKeys[id] = nil
                state.metadata[id] = nil
                state.superseded.remove(id)
                state.destroyed.insert(id)
            }
        }
    }
}
