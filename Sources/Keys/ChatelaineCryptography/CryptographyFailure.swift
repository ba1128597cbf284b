import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

/// Turns results of the C module into errors.
enum CryptographyFailure {
    static var memory: KeychainError { KeychainError(.allocate, "there is no memory for a key") }

    static func check(_ code: Int32, _ what: String) throws(KeychainError) {
        switch Int(code) {
        case CHATELAINE_CRYPTO_OK: return
        case CHATELAINE_CRYPTO_MISSING:
            throw KeychainError(
                .notAvailable, "\(what) needs OpenSSL's libcrypto.so.3, which cannot be loaded: install libssl3")
        case CHATELAINE_CRYPTO_INVALID:
            throw KeychainError(
                .param,
                "\(what): the key or the data are none, or do not fit each other; RSA encrypts fewer bytes than its key has, less the padding"
            )
        case CHATELAINE_CRYPTO_MISMATCH:
            throw KeychainError(.verifyFailed, "the signature is not that of this data by this key")
        case CHATELAINE_CRYPTO_MEMORY: throw memory
        default: throw KeychainError(cause: .request, status: .decode, "\(what) came to nothing")
        }
    }

    /// The bytes that `body` writes into a buffer of `room` bytes.
    static func output(
        _ room: Int, _ what: String, _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) throws(KeychainError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, written in
            var count = 0
            code = body(buffer.baseAddress, &count)
            written = Int(code) == CHATELAINE_CRYPTO_OK ? min(count, room) : 0
        }
        try check(code, what)
        return bytes
    }

    /// The same for secret bytes.
    static func secret(
        _ room: Int, _ what: String, _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) throws(KeychainError) -> SecretBytes {
        var (code, count) = (Int32(0), 0)
        let bytes = SecretBytes(count: room) { code = body($0.bytes, &count) }
        try check(code, what)
        return bytes.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<min(count, room)])) }
    }
}
