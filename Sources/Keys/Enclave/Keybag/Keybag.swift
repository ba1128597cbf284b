import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The keys of one store, as its file holds them.
struct Keybag: Equatable, Sendable {
    /// Two keys per class, and one more for every 2^30 seals: nobody gets near it.
    static let maximumKeys = EnclaveWire.maximumKeys

    let id: KeybagIdentifier
    let store: StoreIdentifier
    /// Seconds since 1970.
    let created: Int64
    var changed: Int64
    /// The next id to be given; ids below it are never given again.
    var nextKeyID: UInt32 = 1
    /// Ascending by id.
    var keys: [KeybagKey] = []
    /// Ids whose keys were destroyed on purpose, ascending; rows under them are to be swept.
    var destroyed: [UInt32] = []
    /// How often it was written: an older copy has a lower number.
    var generation: UInt64 = 0
    /// Whether the store has a mark and a sealed head record, so that securityd misses either where it is not there.
    var isMarked = false
    /// nil where there is none.
    var passcode: PasscodeRecord?
    /// What the file of tries had counted to when this was written: one that is behind it was put back.
    var triesSequence: UInt64 = 0

    var hasDetachedKeys: Bool { keys.contains { $0.kind == .detachedKey } }

    func key(_ id: UInt32) -> KeybagKey? { keys.first { $0.id == id } }

    /// Where the key is that seals for a class now; nil before the first.
    func currentIndex(_ kind: KeybagKey.Kind, _ accessibility: Accessibility) -> Int? {
        keys.lastIndex { $0.kind == kind && $0.accessibility == accessibility && $0.retired == nil }
    }

    /// Whether a key is wrapped by the passcode's protector and the backend, not by the backend alone.
    func isProtected(_ key: KeybagKey) -> Bool {
        passcode != nil && key.kind != .metadataKey && key.accessibility.isProtectedByPasscode
    }

    /// Whether what was read can be a keybag: what no code of ours ever writes is damage, however it is authenticated.
    var isConsistent: Bool {
        var previous: UInt32 = 0
        var current: Set<[UInt8]> = []
        for key in keys {
            guard key.id > previous, key.id < nextKeyID else { return false }
            previous = key.id
            if key.retired == nil {
                let place = [key.kind.rawValue, key.accessibility.rawValue]
                guard current.insert(place).inserted, !key.isSuperseded else { return false }
            }
            guard key.accessibility != .whenPasscodeSetThisDeviceOnly || passcode != nil,
                key.wrapped.count
                    == (isProtected(key) ? ClassKeyWrapping.protectedByteCount : Sealing.wrappedKeyByteCount)
            else { return false }
            switch key.kind {
            case .classKey: guard key.parent == 0 else { return false }
            case .detachedKey: guard key.parent == 0, !key.isSuperseded else { return false }
            case .metadataKey:
                guard let parent = self.key(key.parent), parent.kind == .classKey, parent.id < key.id,
                    parent.accessibility == key.accessibility
                else { return false }
            }
        }
        previous = 0
        for id in destroyed {
            guard id > previous, id < nextKeyID, key(id) == nil else { return false }
            previous = id
        }
        return true
    }
}
