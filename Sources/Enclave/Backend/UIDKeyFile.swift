import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The file that holds the UID key of the software backend (`Documentation/formats/keybag.md`).
enum UIDKeyFile {
    static let name = "uid.key"
    static let markByteCount = 8
    /// Far above the 80 bytes of a file of this version.
    static let maximumBytes = 4096
    static let version: UInt64 = 1
    private static let magic = "chatelaine uid key"
    private static let markPurpose = "chatelaine uid key mark"

    static func mark(of key: SecretBytes) -> [UInt8] {
        let derived = KeyDerivation.key(from: key, purpose: markPurpose, subject: nil)
        return derived.withUnsafeBytes { [UInt8]($0.prefix(markByteCount)) }
    }

    static func encode(_ key: SecretBytes) -> SecretBytes {
        var writer = CBORWriter(capacity: 128)
        writer.writeMap(count: 4)
        writer.write(UInt64(0)); writer.write(magic)
        writer.write(UInt64(1)); writer.write(version)
        writer.write(UInt64(2)); writer.write(key)
        // Tells a flipped bit in this file from a keybag of another device.
        writer.write(UInt64(3)); writer.write(mark(of: key))
        return writer.finish()
    }

    /// `errSecNotAvailable` for a newer version, `errSecInternalComponent` for damage.
    static func decode(_ content: SecretBytes, path: String) throws(KeychainError) -> SecretBytes {
        let read: Result<(UInt64, SecretBytes?), CBORError> = content.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in try parse(bytes) }
        }
        guard case .success(let (found, key)) = read else {
            throw KeychainError(.internalComponent, "the UID key in \(path) is damaged; restore it from a backup")
        }
        guard let key else {
            throw KeychainError(
                cause: .newerFormat,
                "\(path) has version \(found), newer than this enclaved reads (\(version)); update enclaved")
        }
        return key
    }

    /// Version and key; no key for a version that is newer than ours.
    private static func parse(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> (UInt64, SecretBytes?) {
        var reader = CBORReader(bytes)
        let pairs = try reader.readMapCount(limit: 64)
        guard try reader.readUnsigned() == 0, try reader.readText() == magic else { throw .outOfRange }
        guard try reader.readUnsigned() == 1 else { throw .outOfRange }
        let found = try reader.readUnsigned()
        switch found {
        case version:
            guard pairs == 4, try reader.readUnsigned() == 2 else { throw .outOfRange }
            let key = try reader.readSecret()
            guard key.count == Sealing.keyByteCount, try reader.readUnsigned() == 3 else { throw .outOfRange }
            guard try reader.readArray(count: markByteCount) == mark(of: key) else { throw .outOfRange }
            try reader.finish()
            return (found, key)
        case (version + 1)...: return (found, nil)
        default: throw .outOfRange
        }
    }
}
