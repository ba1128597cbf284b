import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Sealing

/// The backend of machines without a security chip: the UID key is in a file of the custodian.
///
/// Whoever reads that file and the rest of the disk can open everything (THREAT-MODEL). The key is read once, into
/// locked memory. Keys derived from it live for one operation each.
package final class SoftwareBackend: KeyBackend {
    private static let wrappingPurpose = "chatelaine keybag wrapping"

    package let name = "software"
    private let folder: StateFolder
    private let uidKey = AdaptiveMutex<SecretBytes?>(nil)

    init(folder: StateFolder) { self.folder = folder }

    package func create() throws(KeychainError) {
        let key = KeyDerivation.randomKey()
        try folder.write(UIDKeyFile.name, UIDKeyFile.encode(key), isReplacing: false)
        uidKey.withLock { $0 = key }
    }

    package func unlock() throws(KeychainError) -> Bool {
        if uidKey.withLock({ $0 }) != nil { return true }
        guard let content = try folder.read(UIDKeyFile.name, limit: UIDKeyFile.maximumBytes) else { return false }
        let key = try UIDKeyFile.decode(content, path: "\(folder.path)/\(UIDKeyFile.name)")
        uidKey.withLock { $0 = key }
        return true
    }

    package func mark() throws(KeychainError) -> [UInt8] { UIDKeyFile.mark(of: try unlocked()) }

    package func wrap(
        _ key: SecretBytes, for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> [UInt8] {
        try wrappingKey(of: keybag).seal(key, for: context)
    }

    package func unwrap(
        _ wrapped: [UInt8], for context: SealContext, in keybag: KeybagIdentifier
    ) throws(KeychainError) -> SecretBytes {
        try wrappingKey(of: keybag).open(wrapped, for: context)
    }

    package func derive(
        _ purpose: DerivedKeyPurpose, for subject: Bytes16
    ) throws(KeychainError) -> SecretBytes {
        KeyDerivation.key(from: try unlocked(), purpose: purpose.name, subject: subject)
    }

    private func wrappingKey(of keybag: KeybagIdentifier) throws(KeychainError) -> SealingKey {
        try SealingKey(KeyDerivation.key(from: try unlocked(), purpose: Self.wrappingPurpose, subject: keybag.value))
    }

    private func unlocked() throws(KeychainError) -> SecretBytes {
        guard let key = uidKey.withLock({ $0 }) else {
            throw KeychainError(.internalComponent, "the UID key is used before it is unlocked")
        }
        return key
    }
}
