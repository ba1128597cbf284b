import ChatelaineMemory
import ChatelaineModel
import Crypto

/// HKDF-SHA-256 (RFC 5869) with one layout of `info` for the whole project.
package enum KeyDerivation {
    /// The version of the layout.
    private static let format: UInt64 = 1

    private enum Field: UInt64, CBORField {
        case format = 0
        case purpose = 1
        case subject = 2
    }

    /// A key of 32 bytes.
    ///
    /// `purpose` names its use, and `subject` its store or keybag.
    package static func key(from root: SecretBytes, purpose: String, subject: Bytes16?) -> SecretBytes {
        var info = CBORWriter(capacity: 96)
        info.writeMap {
            $0.write(Field.format, format)
            $0.write(Field.purpose, purpose)
            $0.write(Field.subject, subject)
        }
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root.withUnsafeBytes { SymmetricKey(data: $0) }, info: info.finishArray(),
            outputByteCount: Sealing.keyByteCount)
        return derived.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// A new random key of 32 bytes from the kernel, written directly into secret memory.
    package static func randomKey() -> SecretBytes {
        SecretBytes(count: Sealing.keyByteCount) { buffer in
            var generator = SystemRandomNumberGenerator()
            for offset in stride(from: 0, to: buffer.count, by: MemoryLayout<UInt64>.size) {
                buffer.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
            }
        }
    }
}
