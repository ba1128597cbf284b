import CChatelaineCrypto
import ChatelaineModel
import Testing

@testable import ChatelaineCryptography

/// libcrypto counts with int, so the C module refuses longer input before libcrypto sees it.
///
/// Nothing may read so many bytes: the pointers lead to a few, and only the lengths are large.
@Suite struct InputLengthTests {
    /// Lengths of which an int has the least bits: five, a block, and none.
    private static let lengths = [1 << 32 + 5, 1 << 32 + 256, 1 << 32, 1 << 40 + 32, Int.max - 0xFFFF_FFFF + 20]
    private static let ok = Int32(CHATELAINE_CRYPTO_OK)
    private static let invalid = Int32(CHATELAINE_CRYPTO_INVALID)
    private static let mismatch = Int32(CHATELAINE_CRYPTO_MISMATCH)
    private static let rsa = Result { () throws(KeychainError) in try CryptographicKey.generate(.rsa, bits: 2048) }

    private let bytes = [UInt8](repeating: 0, count: 4096)

    private func signed(_ key: CryptographicKey, _ fill: Int, _ count: Int) -> (code: Int32, bytes: [UInt8]) {
        var (result, length) = ([UInt8](repeating: 0, count: Int(CHATELAINE_BLOCK_BYTES)), 0)
        let code = chatelaine_key_sign(key.handle, Int32(fill), 0, bytes, count, &result, &length)
        return (code, code == Self.ok ? Array(result.prefix(length)) : [])
    }

    @Test(arguments: lengths) func nothingIsCutForRSA(_ count: Int) throws {
        let key = try Self.rsa.get()
        var (result, length) = ([UInt8](repeating: 0, count: Int(CHATELAINE_BLOCK_BYTES)), 0)
        for fill in [CHATELAINE_FILL_NONE, CHATELAINE_FILL_PKCS1, CHATELAINE_FILL_OAEP] {
            let code = chatelaine_key_encrypt(
                key.handle, Int32(fill), Int32(CHATELAINE_DIGEST_SHA1), bytes, count, &result, &length)
            #expect(code == Self.invalid, "fill \(fill)")
        }
        for fill in [CHATELAINE_FILL_NONE, CHATELAINE_FILL_PKCS1] {
            #expect(signed(key, fill, count).code == Self.invalid)
        }
        let (code, signature) = signed(key, CHATELAINE_FILL_PKCS1, 20)
        let fill = Int32(CHATELAINE_FILL_PKCS1)
        #expect(code == Self.ok)
        #expect(
            chatelaine_key_verify(key.handle, fill, 0, bytes, count, signature, signature.count) == Self.invalid)
        #expect(
            chatelaine_key_verify(key.handle, fill, 0, bytes, 20, signature, 1 << 32 + signature.count)
                == Self.mismatch)
        #expect(chatelaine_key_verify(key.handle, fill, 0, bytes, 20, signature, signature.count) == Self.ok)
        let sealed = chatelaine_key_decrypt(
            key.handle, Int32(CHATELAINE_FILL_OAEP), Int32(CHATELAINE_DIGEST_SHA1), bytes, count, &result, &length)
        #expect(sealed == Int32(CHATELAINE_CRYPTO_FAILED))
    }

    @Test(arguments: lengths) func nothingIsCutForCurves(_ count: Int) throws {
        let key = try CryptographicKey.generate(.ec, bits: 256)
        #expect(signed(key, CHATELAINE_FILL_NONE, count).code == Self.invalid)
        let (code, signature) = signed(key, CHATELAINE_FILL_NONE, 5)
        #expect(code == Self.ok)
        #expect(chatelaine_key_verify(key.handle, 0, 0, bytes, count, signature, signature.count) == Self.invalid)
        #expect(
            chatelaine_key_verify(key.handle, 0, 0, bytes, 5, signature, 1 << 32 + signature.count) == Self.mismatch)
        #expect(chatelaine_key_verify(key.handle, 0, 0, bytes, 5, signature, signature.count) == Self.ok)
        // A digest that is longer than the curve's numbers is still cut by ECDSA's own rule.
        #expect(signed(key, CHATELAINE_FILL_NONE, bytes.count).code == Self.ok)
    }

    @Test(arguments: lengths) func nothingIsCutForAES(_ count: Int) {
        var (result, tag, length) = ([UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0, count: 16), 0)
        let key = [UInt8](repeating: 1, count: 16)
        func sealed(nonce: Int = 16, open: Int = 0, message: Int = 0) -> Int32 {
            chatelaine_aes_gcm(1, key, 16, bytes, nonce, bytes, open, bytes, message, &result, &tag)
        }
        #expect(sealed(message: count) == Self.invalid && sealed(open: count) == Self.invalid)
        #expect(sealed(nonce: count) == Self.invalid && sealed(nonce: 0) == Self.invalid && sealed() == Self.ok)
        #expect(chatelaine_aes_wrap(1, key, 16, bytes, count, &result, &length) == Self.invalid)
        #expect(chatelaine_aes_wrap(0, key, 16, bytes, count, &result, &length) != Self.ok)
        let digest = Int32(CHATELAINE_DIGEST_SHA1)
        #expect(chatelaine_pbkdf2(digest, bytes, count, bytes, 8, 1, &result, 16) == Self.invalid)
        #expect(chatelaine_pbkdf2(digest, bytes, 8, bytes, count, 1, &result, 16) == Self.invalid)
        #expect(chatelaine_pbkdf2(digest, bytes, 8, bytes, 8, 1, &result, count) == Self.invalid)
    }
}
