import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization

/// One channel's view of the custodian: which store its requests are about.
///
/// A session may be used from several threads. A session opened from another begins with that one's store; one without
/// a store takes the custodian's only one.
public final class EnclaveSession: Sendable {
    private let enclave: Enclave
    private let keybag: Mutex<KeybagCustodian?>

    init(_ enclave: Enclave, _ keybag: KeybagCustodian?) {
        self.enclave = enclave
        self.keybag = Mutex(keybag)
    }

    /// A session for one more channel, about the same store.
    public func makeSession() -> EnclaveSession { EnclaveSession(enclave, keybag.withLock { $0 }) }

    /// Carries out one request; whatever goes wrong is in the reply.
    public func answer(_ request: EnclaveRequest) -> EnclaveReply {
        do throws(KeychainError) { return try carryOut(request) } catch { return .failure(error) }
    }

    private func carryOut(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        switch request {
        case .openStore(let store, let isEmpty):
            let (opened, keys) = try enclave.openStore(store, isEmpty: isEmpty)
            keybag.withLock { $0 = opened }
            return .store(keys)
        case .metadataKeyForSealing(let accessibility):
            try enclave.device.check(accessibility)
            let (key, seals) = try current().metadataKey(accessibility)
            return .metadataKey(MetadataKey(id: key.id, key: key.secret, sealsGranted: UInt32(clamping: seals)))
        case .metadataKey(let id):
            let key = try current().key(id, .metadataKey)
            try enclave.device.check(key.accessibility)
            return .metadataKey(MetadataKey(id: key.id, key: key.secret, sealsGranted: 0))
        case .createRowKeys(let contexts): return .newRowKeys(try createRowKeys(contexts))
        case .openRowKeys(let keys): return .rowKeys(try openRowKeys(keys))
        case .noteMark:
            try current().noteMark()
            return .done
        case .report: return .report(enclave.report(classKeys: keybag.withLock { $0 }?.classKeyCount ?? 0))
        case .openChannel:
            throw KeychainError(.param, "a channel is opened by the process that holds its descriptor")
        case .sandbox: throw KeychainError(.param, "how a process is shut in is for that process to say")
        }
    }

    private func createRowKeys(_ contexts: [RowContext]) throws(KeychainError) -> [NewRowKey] {
        let keybag = try current()
        try checkBatch(contexts.count)
        var counts: [Accessibility: Int] = [:]
        for context in contexts {
            try checkStore(context, keybag)
            try enclave.device.check(context.accessibility)
            counts[context.accessibility, default: 0] += 1
        }
        // Ready keys live for one batch: swift-crypto keeps its copies outside locked memory, and wipes them at its end.
        var ready: [Accessibility: (id: UInt32, key: SealingKey)] = [:]
        for (accessibility, count) in counts {
            let key = try keybag.classKey(accessibility, seals: count)
            ready[accessibility] = (key.id, try SealingKey(key.secret))
        }
        var keys: [NewRowKey] = []
        keys.reserveCapacity(contexts.count)
        for context in contexts {
            guard let (id, classKey) = ready[context.accessibility] else { continue }
            let key = KeyDerivation.randomKey()
            let wrapped = try classKey.seal(key, for: SealContext(.rowKey, keyID: id, row: context))
            keys.append(NewRowKey(classKeyID: id, key: key, wrapped: wrapped))
        }
        return keys
    }

    /// The class key that was used last: the rows of one batch are nearly always of one class.
    private typealias ReadyKey = (id: UInt32, key: SealingKey)

    private func openRowKeys(
        _ keys: [WrappedRowKey]
    ) throws(KeychainError) -> [Result<SecretBytes, KeychainError>] {
        let keybag = try current()
        try checkBatch(keys.count)
        var ready: ReadyKey?
        return keys.map { key in
            Result { () throws(KeychainError) in try openRowKey(key, keybag, &ready) }
        }
    }

    private func openRowKey(
        _ wrapped: WrappedRowKey, _ keybag: KeybagCustodian, _ ready: inout ReadyKey?
    ) throws(KeychainError) -> SecretBytes {
        try checkStore(wrapped.context, keybag)
        let key = try keybag.key(wrapped.classKeyID, .classKey)
        try enclave.device.check(key.accessibility)
        let classKey: SealingKey
        if let last = ready, last.id == key.id {
            classKey = last.key
        } else {
            classKey = try SealingKey(key.secret)
            ready = (key.id, classKey)
        }
        let context = SealContext(.rowKey, keyID: key.id, row: wrapped.context)
        let rowKey = try classKey.open(wrapped.wrapped, for: context)
        guard rowKey.count == Sealing.keyByteCount else {
            throw KeychainError(.decode, "a row key has \(rowKey.count) bytes instead of \(Sealing.keyByteCount)")
        }
        return rowKey
    }

    private func current() throws(KeychainError) -> KeybagCustodian {
        if let own = keybag.withLock({ $0 }) { return own }
        // Channels may be opened before the store is, so the only open store is meant where a channel has none of its
        // own. It stays the one: a second store must not change what this channel is about.
        guard let only = enclave.onlyKeybag else {
            throw KeychainError(.param, "no store is open on this channel; open one first")
        }
        return keybag.withLock { own in
            let current = own ?? only
            own = current
            return current
        }
    }

    private func checkStore(_ context: RowContext, _ keybag: KeybagCustodian) throws(KeychainError) {
        guard context.store == keybag.store else {
            throw KeychainError(.param, "a row of another store than the one that is open on this channel")
        }
    }

    private func checkBatch(_ count: Int) throws(KeychainError) {
        guard count <= EnclaveRequest.maximumBatch else {
            throw KeychainError(.param, "\(count) row keys in one request; \(EnclaveRequest.maximumBatch) are allowed")
        }
    }
}
