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
    private enum Field: UInt64, CBORField {
        case magic = 0
        case version = 1
        case key = 2
        case mark = 3
    }

    private static let markPurpose = "chatelaine uid key mark"

    static func mark(of key: SecretBytes) -> [UInt8] {
        let derived = KeyDerivation.key(from: key, purpose: markPurpose, subject: nil)
        return derived.withUnsafeBytes { [UInt8]($0.prefix(markByteCount)) }
    }

    static func encode(_ key: SecretBytes) -> SecretBytes {
        var writer = CBORWriter(capacity: 128)
        writer.writeMap {
            $0.write(Field.magic, magic)
            $0.write(Field.version, version)
            $0.write(Field.key, key)
            // Distinguishes a flipped bit in this file from a keybag of another device.
            $0.write(Field.mark, mark(of: key))
        }
        return writer.finish()
    }

    /// - Throws: `errSecNotAvailable` for a newer version, `errSecInternalComponent` for damage.
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

    /// The version and the key; no key for a newer version.
    private static func parse(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> (UInt64, SecretBytes?) {
        var map = try CBORMap(CBORReader(bytes))
        let found: (magic: String, version: UInt64) = (try map.read(Field.magic), try map.read(Field.version))
        guard found.magic == magic else { throw .outOfRange }
        switch found.version {
        case version:
            let key: SecretBytes = try map.read(Field.key)
            guard key.count == Sealing.keyByteCount else { throw .outOfRange }
            try map.find(Field.mark)
            guard try map.reader.readArray(count: markByteCount) == mark(of: key) else { throw .outOfRange }
            try map.end().finish()
            return (found.version, key)
        case (version + 1)...: return (found.version, nil)
        default: throw .outOfRange
        }
    }
}
