import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A change to a keybag before it is on disk: new counts, and new keys in place of used-up ones.
///
/// Nothing of it may be used before the keybag is saved.
struct KeybagDraft {
    var keybag: Keybag
    /// The unwrapped keys that are open.
    var secrets: [UInt32: SecretBytes]
    /// Also wraps class keys; nil without a passcode, and while the keybag is locked.
    var protector: SecretBytes?
    let backend: any KeyBackend
    let rotationThreshold: UInt64
    /// Seconds since 1970.
    let now: Int64

    /// The key that seals for a class, with `seals` more on its count; a new key if the old one has no room left.
    mutating func reserve(
        _ seals: UInt64, _ kind: KeybagKey.Kind, _ accessibility: Accessibility
    ) throws(KeychainError) -> UInt32 {
        keybag.changed = now
        if let index = keybag.currentIndex(kind, accessibility) {
            let (total, overflow) = keybag.keys[index].sealsReserved.addingReportingOverflow(seals)
            if !overflow, total <= limit(kind, accessibility) {
                keybag.keys[index].sealsReserved = total
                return keybag.keys[index].id
            }
        }
        return try addKey(kind, accessibility, seals: seals)
    }

    /// The most seals under one key.
    ///
    /// A class key cannot be replaced while the keybag is locked. It may then make twice as many seals, and is replaced
    /// after the unlock. Twice as many is still half of the allowed number (``EnclaveSettings/rotationThreshold``).
    private func limit(_ kind: KeybagKey.Kind, _ accessibility: Accessibility) -> UInt64 {
        let waits =
            kind != .metadataKey && keybag.passcode != nil && protector == nil && accessibility.isProtectedByPasscode
        return waits ? 2 * rotationThreshold : rotationThreshold
    }

    private mutating func addKey(
        _ kind: KeybagKey.Kind, _ accessibility: Accessibility, seals: UInt64
    ) throws(KeychainError) -> UInt32 {
        guard keybag.keys.count < Keybag.maximumKeys, keybag.nextKeyID < .max else {
            throw KeychainError(.internalComponent, "the keybag is full: it has \(keybag.keys.count) keys")
        }
        // Before the id is taken, because the class key may have to rotate first and take an id of its own.
        let parent = kind == .metadataKey ? try reserve(1, .classKey, accessibility) : 0
        let id = keybag.nextKeyID
        keybag.nextKeyID += 1
        let secret = KeyDerivation.randomKey()
        let wrapped: [UInt8]
        switch kind {
        case .classKey, .detachedKey: wrapped = try wrapping().wrap(secret, id: id, accessibility)
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

    private func wrapping() throws(KeychainError) -> ClassKeyWrapping {
        try ClassKeyWrapping(keybag, backend: backend, protector: protector)
    }

    /// Unwraps the keys of `keybag` that `device` opens; keys in `known` are taken as they are.
    static func unwrap(
        _ keybag: Keybag, backend: any KeyBackend, protector: SecretBytes? = nil, for device: DeviceState,
        known: [UInt32: SecretBytes] = [:]
    ) throws(KeychainError) -> [UInt32: SecretBytes] {
        let wrapping = try ClassKeyWrapping(keybag, backend: backend, protector: protector)
        var secrets = known
        // Ids ascend, so a metadata key comes after the class key that wraps it.
        for key in keybag.keys where secrets[key.id] == nil && device.opens(key.accessibility) {
            switch key.kind {
            case .classKey, .detachedKey: secrets[key.id] = try wrapping.unwrap(key)
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

// MARK: The passcode

extension KeybagDraft {
    /// Opens every key, including those of locked classes.
    mutating func openAll() throws(KeychainError) {
        var device = DeviceState(hasPasscode: true)
        device.lock = .unlocked
        secrets = try Self.unwrap(keybag, backend: backend, protector: protector, for: device, known: secrets)
    }

    /// Replaces the passcode record and the protector, or removes both.
    ///
    /// Every key must be open.
    mutating func protect(_ record: PasscodeRecord?, with protector: SecretBytes?) throws(KeychainError) {
        keybag.changed = now
        keybag.passcode = record
        self.protector = protector
        if record == nil {
            try destroy(Set(keybag.keys.filter { $0.accessibility == .whenPasscodeSetThisDeviceOnly }.map(\.id)))
        }
        let wrapping = try wrapping()
        for index in keybag.keys.indices {
            let key = keybag.keys[index]
            guard key.kind != .metadataKey, key.accessibility.isProtectedByPasscode else { continue }
            guard let secret = secrets[key.id] else {
                throw KeychainError(.internalComponent, "class key \(key.id) is not open")
            }
            keybag.keys[index].wrapped = try wrapping.wrap(secret, id: key.id, key.accessibility)
        }
    }

    /// Makes new keys for the classes that the passcode protects.
    ///
    /// The old keys still open, and no longer seal. Keys that programs keep cannot be sealed anew here. So their old
    /// wrapping keys stay for good, and new keys of programs get a new one. It is made at once, since none can be made
    /// while the device is locked.
    mutating func supersede() throws(KeychainError) {
        let detached = Accessibility.allCases.filter { keybag.currentIndex(.detachedKey, $0) != nil }
        for index in keybag.keys.indices where keybag.keys[index].accessibility.isProtectedByPasscode {
            keybag.keys[index].isSuperseded = keybag.keys[index].kind != .detachedKey
            if keybag.keys[index].retired == nil { keybag.keys[index].retired = now }
        }
        for accessibility in Accessibility.allCases where accessibility.isProtectedByPasscode {
            _ = try reserve(0, .classKey, accessibility)
            _ = try reserve(0, .metadataKey, accessibility)
            if detached.contains(accessibility) { _ = try reserve(0, .detachedKey, accessibility) }
        }
    }

    /// Makes the keys for detached ones of the classes that stay open while the device is locked, because they cannot
    /// be made then.
    mutating func prepareDetachedKeys() throws(KeychainError) {
        guard keybag.passcode == nil || protector != nil else { return }
        for accessibility in [Accessibility.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly]
        where keybag.currentIndex(.detachedKey, accessibility) == nil {
            _ = try reserve(0, .detachedKey, accessibility)
        }
    }

    /// Destroys keys, and with them everything that they protect.
    mutating func destroy(_ ids: Set<UInt32>) throws(KeychainError) {
        guard keybag.destroyed.count + ids.count <= Keybag.maximumKeys else {
            throw KeychainError(
                .internalComponent, "the keybag is full: it names \(keybag.destroyed.count) destroyed keys")
        }
        keybag.changed = now
        keybag.keys.removeAll { ids.contains($0.id) }
        for id in ids { secrets[id] = nil }
        keybag.destroyed = (keybag.destroyed + ids).sorted()
    }
}
