import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

/// An AES key that wraps other keys.
///
/// A keychain stores such keys, and hands them to programs that encrypt.
package struct SymmetricKey: Sendable {
    /// The sizes of AES keys, in bits.
    package static let sizes = KeyAttributes.aesSizes

    package let bytes: SecretBytes

    /// - Throws: `errSecParam` for a length that no AES key has.
    package init(_ bytes: SecretBytes) throws(KeychainError) {
        guard Self.sizes.contains(bytes.count * 8) else { throw Self.noSize(bytes.count * 8) }
        self.bytes = bytes
    }

    package var bits: Int { bytes.count * 8 }

    /// Makes a new random key.
    package static func generate(bits: Int) throws(KeychainError) -> SymmetricKey {
        guard sizes.contains(bits) else { throw noSize(bits) }
        return try SymmetricKey(
            try CryptographyFailure.secret(bits / 8, "making a key") { bytes, written in
                written.pointee = bits / 8
                return chatelaine_random(bytes, bits / 8)
            })
    }

    /// Derives a key from a password (PBKDF2; RFC 8018, 5.2).
    ///
    /// - Throws: `errSecParam` for zero rounds, and for more than ``mostRounds``, which would take minutes.
    package static func derived(
        from password: SecretBytes, salt: [UInt8], rounds: Int, _ digest: KeyDigest, bits: Int
    ) throws(KeychainError) -> SymmetricKey {
        guard sizes.contains(bits) else { throw noSize(bits) }
        guard 1...mostRounds ~= rounds else {
            throw KeychainError(.param, "a key is derived in 1 to \(mostRounds) rounds, and not in \(rounds)")
        }
        return try SymmetricKey(
            try CryptographyFailure.secret(bits / 8, "deriving a key") { bytes, written in
                written.pointee = bits / 8
                return password.withUnsafeBytes {
                    chatelaine_pbkdf2(
                        digest.number, $0.bytes, $0.count, salt, salt.count, UInt32(rounds), bytes, bits / 8)
                }
            })
    }

    static let mostRounds = Int(CHATELAINE_PBKDF2_MOST_ROUNDS)

    /// Encrypts another key with this one (AES key wrap, RFC 3394).
    package func wrapped(_ other: SymmetricKey) throws(KeychainError) -> [UInt8] {
        try CryptographyFailure.output(other.bytes.count + Int(CHATELAINE_WRAP_BYTES), "wrapping a key") {
            result, count in
            bytes.withUnsafeBytes { key in
                other.bytes.withUnsafeBytes {
                    chatelaine_aes_wrap(1, key.bytes, key.count, $0.bytes, $0.count, result, count)
                }
            }
        }
    }

    /// - Throws: `errSecDecode` if this key did not wrap the bytes; `errSecParam` if what it wrapped is no key of AES.
    package func unwrapped(_ wrapped: [UInt8]) throws(KeychainError) -> SymmetricKey {
        try SymmetricKey(
            try CryptographyFailure.secret(Int(CHATELAINE_WRAPPED_KEY_BYTES), "unwrapping a key") { result, count in
                bytes.withUnsafeBytes { key in
                    chatelaine_aes_wrap(0, key.bytes, key.count, wrapped, wrapped.count, result, count)
                }
            })
    }

    private static func noSize(_ bits: Int) -> KeychainError {
        KeychainError(.param, "a key of AES has 128, 192 or 256 bits, and not \(bits)")
    }
}
