import ChatelaineMemory
import ChatelaineModel
import ItemStore
import Sealing
import StoreEngine

/// The settings of automatic locking, in the keychain's file: readable by everybody, and authenticated.
extension FileKeychain {
    private static let purpose = "chatelaine keychain settings"
    private static let version: UInt64 = 1

    private enum Field: UInt64, CBORField {
        case version = 0
        case settings = 1
    }

    /// The settings; those of a new keychain where the file has none.
    ///
    /// - Throws: the cause `locked`, since the settings of a locked keychain are unproven; `errSecInvalidKeychain` for
    ///   altered settings.
    package func settings() throws(KeychainError) -> KeychainSettings {
        let store = try store()
        guard let kept = try store.properties().settings else { return KeychainSettings() }
        let digest = try digest(store)
        guard kept.count > KeyedDigest.byteCount else { throw Self.changed(path) }
        let content = Array(kept.dropFirst(KeyedDigest.byteCount))
        let expected = content.withUnsafeBytes { digest.digest($0) }
        // The comparison covers all bytes, so that its duration does not reveal where they differ.
        guard zip(kept, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { throw Self.changed(path) }
        do throws(CBORError) {
            return try content.withUnsafeBufferPointer { bytes throws(CBORError) in
                var map = try CBORMap(CBORReader(UnsafeRawBufferPointer(bytes)))
                let version: UInt64 = try map.read(Field.version)
                guard version == Self.version else { throw .unsupported }
                let settings: KeychainSettings = try map.read(Field.settings)
                try map.end().finish()
                return settings
            }
        } catch {
            throw KeychainError(
                cause: .newerFormat, status: .wrongSecVersion,
                "the settings of \(path) were written by a later version of Chatelaine; set them anew, or update it")
        }
    }

    /// Replaces the settings; they are on disk when it returns.
    package func replaceSettings(_ settings: KeychainSettings) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            let store = try usableStore()
            if let refusal = store.refusal { throw refusal }
            var writer = CBORWriter()
            writer.writeMap {
                $0.write(Field.version, Self.version)
                $0.write(Field.settings, settings)
            }
            let content = writer.finishArray()
            let digest = try digest(store)
            let kept = content.withUnsafeBytes { digest.digest($0) } + content
            try store.write(.settings(kept))
            state.withLock { $0.opened?.keys.note(settings: kept) }
        }
    }

    /// The digest under the keychain's own key for data in clear; no other keychain's settings match it.
    private func digest(_ store: ItemStore) throws(KeychainError) -> KeyedDigest {
        let root = try keys.metadataKeyForSealing(.always, in: store.identifier).key
        return KeyedDigest(
            KeyDerivation.key(from: root, purpose: Self.purpose, subject: store.identifier.value))
    }

    private static func changed(_ path: String) -> KeychainError {
        KeychainError(
            .invalidKeychain,
            "the settings in \(path) were changed by somebody who has no key; until they are set anew, it locks as a new one"
        )
    }
}
