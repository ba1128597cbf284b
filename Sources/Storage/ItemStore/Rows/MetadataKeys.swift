import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing

/// The cached metadata keys, by id for opening and by protection class for sealing.
///
/// They stay until ``forget()``, which ``KeyHolders`` calls when a class is locked. A key that was requested before a
/// `forget()` and arrives after it makes the seal that it was requested for, and is not cached.
final class MetadataKeys: KeyHolder, Sendable {
    fileprivate struct SealingState {
        var id: UInt32
        var sealsLeft: UInt32
    }

    fileprivate struct State {
        var byID: [UInt32: AttributeSeal] = [:]
        var sealing: [Accessibility: SealingState] = [:]
        /// How often all keys were forgotten.
        var forgettings: UInt64 = 0
        /// The replaced keys, class keys among them: they open data, and seal nothing more.
        var retired: Set<UInt32> = []
    }

    /// How often a sealing key is requested while keys are being replaced.
    private static let attempts = 4

    private let source: any StoreKeySource
    private let store: StoreIdentifier
    private let form: AttributeSeal.Form
    private let state = AdaptiveMutex(State())

    init(_ source: any StoreKeySource, of store: StoreIdentifier, form: AttributeSeal.Form = .sealed) {
        self.source = source
        self.store = store
        self.form = form
        source.holders?.add(self)
    }

    /// The cached keys.
    var all: [UInt32: AttributeSeal] { state.withLock { $0.byID } }

    func forget() {
        state.withLock { state in
            state.byID = [:]
            state.sealing = [:]
            state.forgettings += 1
        }
    }

    /// Forgets keys that were destroyed.
    func forget(_ ids: Set<UInt32>) { state.withLock { state in for id in ids { state.byID[id] = nil } } }

    /// From now on these keys seal nothing.
    func retire(_ ids: Set<UInt32>) {
        state.withLock { state in
            state.retired.formUnion(ids)
            state.sealing = state.sealing.filter { !ids.contains($0.value.id) }
        }
    }

    func isRetired(_ id: UInt32) -> Bool { state.withLock { $0.retired.contains(id) } }

    /// Fetches and caches a key.
    ///
    /// - Throws: `errSecInteractionNotAllowed` for a key of a locked class, `errSecDecode` for one that the keybag
    ///   lacks.
    func load(_ id: UInt32) throws(KeychainError) {
        let forgettings = state.withLock { $0.forgettings }
        let key = try source.metadataKey(id: id, in: store)
        guard key.id == id else {
            throw KeychainError(.internalComponent, "the key custodian gave another metadata key than asked for")
        }
        let sealing = try form.ready(key.key)
        state.withLock { if $0.forgettings == forgettings { $0.byID[id] = sealing } }
    }

    /// A key for one seal.
    func forSealing(_ accessibility: Accessibility) throws(KeychainError) -> (id: UInt32, key: AttributeSeal) {
        for _ in 0..<Self.attempts {
            if let ready = state.withLock({ $0.take(accessibility) }) { return ready }
            let forgettings = state.withLock { $0.forgettings }
            let fresh = try source.metadataKeyForSealing(accessibility, in: store)
            let sealing = try form.ready(fresh.key)
            let isReplaced = state.withLock { state in
                if state.retired.contains(fresh.id) { return true }
                // A key that is forgotten by now makes this one seal, and no other.
                guard state.forgettings == forgettings else { return false }
                state.byID[fresh.id] = sealing
                // The seal that is about to be made counts.
                state.sealing[accessibility] = SealingState(id: fresh.id, sealsLeft: max(fresh.sealsGranted, 1) - 1)
                return false
            }
            if !isReplaced { return (fresh.id, sealing) }
        }
        throw KeychainError(.internalComponent, "the key custodian gives keys to seal with that were replaced")
    }
}

extension MetadataKeys.State {
    fileprivate mutating func take(_ accessibility: Accessibility) -> (id: UInt32, key: AttributeSeal)? {
        guard let granted = sealing[accessibility], granted.sealsLeft > 0, let key = byID[granted.id] else {
            return nil
        }
        sealing[accessibility]?.sealsLeft -= 1
        return (granted.id, key)
    }
}
