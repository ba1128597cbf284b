import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A change to a keybag before it is on disk: new counts, and new keys where old ones are used up.
///
/// Nothing of it may be used until the keybag is saved.
struct KeybagDraft {
    var keybag: Keybag
    /// Every key of the keybag, unwrapped.
    var secrets: [UInt32: SecretBytes]
    let backend: any KeyBackend
    let rotationThreshold: UInt64
    /// Seconds since 1970.
    let now: Int64

    /// The key that seals for a class, with `seals` more on its count; a new key where the old one has no room left.
    mutating func reserve(
        _ seals: UInt64, _ kind: KeybagKey.Kind, _ accessibility: Accessibility
    ) throws(KeychainError) -> UInt32 {
        keybag.changed = now
        if let index = keybag.currentIndex(kind, accessibility) {
            let (total, overflow) = keybag.keys[index].sealsReserved.addingReportingOverflow(seals)
            if !overflow, total <= rotationThreshold {
                keybag.keys[index].sealsReserved = total
                return keybag.keys[index].id
            }
        }
        return try addKey(kind, accessibility, seals: seals)
    }

    private mutating func addKey(
        _ kind: KeybagKey.Kind, _ accessibility: Accessibility, seals: UInt64
    ) throws(KeychainError) -> UInt32 {
        guard keybag.keys.count < Keybag.maximumKeys, keybag.nextKeyID < .max else {
            throw KeychainError(.internalComponent, "the keybag is full: it has \(keybag.keys.count) keys")
        }
        // Before the id is taken: the class key may have to rotate first and takes an id of its own.
        let parent = kind == .metadataKey ? try reserve(1, .classKey, accessibility) : 0
        let id = keybag.nextKeyID
        keybag.nextKeyID += 1
        let secret = KeyDerivation.randomKey()
        let wrapped: [UInt8]
        switch kind {
        case .classKey:
            let context = SealContext(.classKey, keyID: id, keybag: keybag.id, accessibility: accessibility)
            wrapped = try backend.wrap(secret, for: context, in: keybag.id)
        case .metadataKey:
            guard let classKey = secrets[parent] else {
                throw KeychainError(.internalComponent, "class key \(parent) is not open")
            }
            let context = SealContext(.metadataKey, keyID: id, keybag: keybag.id, accessibility: accessibility)
            wrapped = try SealingKey(classKey).seal(secret, for: context)
        }
        if let old = keybag.currentIndex(kind, accessibility) { keybag.keys[old].retired = now }
        keybag.keys.append(
            KeybagKey(
                id: id, kind: kind, accessibility: accessibility, parent: parent, wrapped: wrapped,
                sealsReserved: seals, created: now, retired: nil))
        secrets[id] = secret
        return id
    }

    /// Every key of `keybag`, unwrapped.
    static func unwrap(
        _ keybag: Keybag, backend: any KeyBackend
    ) throws(KeychainError) -> [UInt32: SecretBytes] {
        var secrets: [UInt32: SecretBytes] = [:]
        // Ascending ids: a metadata key comes after the class key that wraps it.
        for key in keybag.keys {
            switch key.kind {
            case .classKey:
                let context = SealContext(
                    .classKey, keyID: key.id, keybag: keybag.id, accessibility: key.accessibility)
                secrets[key.id] = try backend.unwrap(key.wrapped, for: context, in: keybag.id)
            case .metadataKey:
                guard let classKey = secrets[key.parent] else {
                    throw KeychainError(.internalComponent, "class key \(key.parent) is not open")
                }
                let context = SealContext(
                    .metadataKey, keyID: key.id, keybag: keybag.id, accessibility: key.accessibility)
                secrets[key.id] = try SealingKey(classKey).open(key.wrapped, for: context)
            }
        }
        return secrets
    }
}
