import ChatelaineMemory
import ChatelaineModel
import Sealing

/// Wraps the class keys of a keybag: with the backend, and for classes that a passcode protects, first with the
/// passcode's protector.
///
/// Opening such a key needs both.
struct ClassKeyWrapping {
    /// The size of a wrapped key that is wrapped once more.
    static let protectedByteCount = Sealing.wrappedKeyByteCount + Sealing.overhead

    private let keybag: Keybag
    private let backend: any KeyBackend
    private let protector: SealingKey?

    /// - Parameter protector: the protector of the keybag's passcode; nil if there is no passcode, or the keybag is
    ///   locked.
    init(_ keybag: Keybag, backend: any KeyBackend, protector: SecretBytes?) throws(KeychainError) {
        self.keybag = keybag
        self.backend = backend
        self.protector = if let protector { try SealingKey(protector) } else { nil }
    }

    func wrap(
        _ secret: SecretBytes, id: UInt32, _ accessibility: Accessibility
    ) throws(KeychainError) -> [UInt8] {
        var content = secret
        if keybag.passcode != nil, accessibility.isProtectedByPasscode {
            content = SecretBytes(
                try present().seal(secret, for: context(.protectedClassKey, id: id, accessibility)))
        }
        return try backend.wrap(content, for: context(.classKey, id: id, accessibility), in: keybag.id)
    }

    func unwrap(_ key: KeybagKey) throws(KeychainError) -> SecretBytes {
        let content = try backend.unwrap(
            key.wrapped, for: context(.classKey, id: key.id, key.accessibility), in: keybag.id)
        guard keybag.isProtected(key) else { return content }
        let protector = try present()
        let secret: Result<SecretBytes, KeychainError> = content.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try protector.open(bytes, for: context(.protectedClassKey, id: key.id, key.accessibility))
            }
        }
        return try secret.get()
    }

    private func present() throws(KeychainError) -> SealingKey {
        guard let protector else {
            throw KeychainError(cause: .locked, "what protects the class keys is locked away; unlock it")
        }
        return protector
    }

    private func context(_ purpose: SealPurpose, id: UInt32, _ accessibility: Accessibility) -> SealContext {
        SealContext(purpose, keyID: id, keybag: keybag.id, accessibility: accessibility)
    }
}
