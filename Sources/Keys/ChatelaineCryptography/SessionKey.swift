import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

/// An AES key for one message, in Galois/Counter Mode (NIST SP 800-38D).
struct SessionKey {
    /// Apple's length, longer than usual; GCM hashes such a nonce.
    static let nonceBytes = 16
    static let tagBytes = 16

    let key: SecretBytes
    /// Zeros suffice, because the key is used once.
    private var nonce = [UInt8](repeating: 0, count: nonceBytes)

    init(_ key: SecretBytes) { self.key = key }

    /// Splits derived bytes into the key and, if there are more, the nonce.
    init(derived: SecretBytes, keyBytes: Int) {
        key = derived.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<keyBytes])) }
        if derived.count > keyBytes { nonce = derived.withUnsafeBytes { [UInt8]($0[keyBytes...]) } }
    }

    static func random(_ count: Int) throws(KeychainError) -> SessionKey {
        SessionKey(
            try CryptographyFailure.secret(count, "making a key") { bytes, written in
                written.pointee = count
                return chatelaine_random(bytes, count)
            })
    }

    /// Encrypts and appends the tag.
    func sealed(_ data: UnsafeRawBufferPointer, with open: [UInt8]) throws(KeychainError) -> [UInt8] {
        try CryptographyFailure.output(data.count + Self.tagBytes, "encrypting") { result, count in
            count.pointee = data.count + Self.tagBytes
            return key.withUnsafeBytes { key in
                chatelaine_aes_gcm(
                    1, key.bytes, key.count, nonce, nonce.count, open, open.count, data.bytes, data.count, result,
                    result.map { $0 + data.count })
            }
        }
    }

    /// - Throws: `errSecDecode` if this key did not seal the data with these additional bytes.
    func opened(_ data: UnsafeRawBufferPointer, with open: [UInt8]) throws(KeychainError) -> SecretBytes {
        guard data.count >= Self.tagBytes else { throw Self.tooShort }
        let length = data.count - Self.tagBytes
        var tag = [UInt8](data[length...])
        return try CryptographyFailure.secret(length, "decrypting") { result, count in
            count.pointee = length
            return key.withUnsafeBytes { key in
                chatelaine_aes_gcm(
                    0, key.bytes, key.count, nonce, nonce.count, open, open.count, data.bytes, length, result, &tag)
            }
        }
    }

    static var tooShort: KeychainError {
        KeychainError(cause: .request, status: .decode, "the data were not encrypted for this key")
    }
}
