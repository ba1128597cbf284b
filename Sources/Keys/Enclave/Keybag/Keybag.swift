import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The keys of one store, as stored in its file.
struct Keybag: Equatable, Sendable {
    /// Far above any use: two keys per class, and one more for every 2^30 seals.
    static let maximumKeys = EnclaveWire.maximumKeys

    let id: KeybagIdentifier
    let store: StoreIdentifier
    /// Seconds since 1970.
    let created: Int64
    var changed: Int64
    /// The next id to use; lower ids are never used again.
    var nextKeyID: UInt32 = 1
    /// Ascending by id.
    var keys: [KeybagKey] = []
    /// Ids of keys that were destroyed on purpose, ascending; rows under them must be swept.
    var destroyed: [UInt32] = []
    /// The number of times that the keybag was written; an older copy has a lower number.
    var generation: UInt64 = 0
    /// Whether the store has a mark and a sealed head record, so that securityd notices if either is missing.
    var isMarked = false
    /// Nil if there is no passcode.
    var passcode: PasscodeRecord?
    /// The sequence of the tries file when the keybag was written; a file with a lower one was put back.
    var triesSequence: UInt64 = 0

    var hasDetachedKeys: Bool { keys.contains { $0.kind == .detachedKey } }

    func key(_ id: UInt32) -> KeybagKey? { keys.first { $0.id == id } }

    /// The index of the key that currently seals for a class; nil before the first.
    func currentIndex(_ kind: KeybagKey.Kind, _ accessibility: Accessibility) -> Int? {
        keys.lastIndex { $0.kind == kind && $0.accessibility == accessibility && $0.retired == nil }
    }

    /// Whether the passcode's protector wraps a key in addition to the backend.
    func isProtected(_ key: KeybagKey) -> Bool {
        passcode != nil && key.kind != .metadataKey && key.accessibility.isProtectedByPasscode
    }

    /// Whether the parsed content is a possible keybag.
    ///
    /// Content that this program never writes is damage, even if it is authenticated.
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
