import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing

/// The metadata keys at hand, by id for opening and by protection class for sealing.
///
/// They stay until ``forget()``, which whoever learns that a class was locked calls (``KeyHolders``). A key that was asked for before and comes
/// after serves whoever has asked for it to seal with, and nobody else.
final class MetadataKeys: Sendable {
    fileprivate struct SealingState {
        var id: UInt32
        var sealsLeft: UInt32
    }

    fileprivate struct State {
        var byID: [UInt32: SealingKey] = [:]
        var sealing: [Accessibility: SealingState] = [:]
        /// How often all were forgotten.
        var forgettings: UInt64 = 0
    }

    private let source: any StoreKeySource
    private let store: StoreIdentifier
    private let state = AdaptiveMutex(State())

    init(_ source: any StoreKeySource, of store: StoreIdentifier) {
        self.source = source
        self.store = store
        source.holders?.add(self)
    }

    /// The keys at hand now.
    var all: [UInt32: SealingKey] { state.withLock { $0.byID } }

    func forget() { state.withLock { $0 = State(forgettings: $0.forgettings + 1) } }

    /// Fetches a key that is not at hand.
    ///
    /// `errSecInteractionNotAllowed` when its class is locked, `errSecDecode` when the keybag does not know it.
    func load(_ id: UInt32) throws(KeychainError) {
        let forgettings = state.withLock { $0.forgettings }
        let key = try source.metadataKey(id: id, in: store)
        guard key.id == id else {
            throw KeychainError(.internalComponent, "the key custodian gave another metadata key than asked for")
        }
        let sealing = try SealingKey(key.key)
        state.withLock { if $0.forgettings == forgettings { $0.byID[id] = sealing } }
    }

    /// A key to make one seal with.
    func forSealing(_ accessibility: Accessibility) throws(KeychainError) -> (id: UInt32, key: SealingKey) {
        if let ready = state.withLock({ $0.take(accessibility) }) { return ready }
        let forgettings = state.withLock { $0.forgettings }
        let fresh = try source.metadataKeyForSealing(accessibility, in: store)
        let sealing = try SealingKey(fresh.key)
        state.withLock { state in
            guard state.forgettings == forgettings else { return }
            state.byID[fresh.id] = sealing
            // The seal that is about to be made counts.
            state.sealing[accessibility] = SealingState(id: fresh.id, sealsLeft: max(fresh.sealsGranted, 1) - 1)
        }
        return (fresh.id, sealing)
    }
}

extension MetadataKeys.State {
    fileprivate mutating func take(_ accessibility: Accessibility) -> (id: UInt32, key: SealingKey)? {
        guard let granted = sealing[accessibility], granted.sealsLeft > 0, let key = byID[granted.id] else {
            return nil
        }
        sealing[accessibility]?.sealsLeft -= 1
        return (granted.id, key)
    }
}
