import ChatelaineModel

/// Signs a digest or a block and writes the signature to the caller's memory.
///
/// ``SecKeyCreateSignature(_:_:_:_:)`` is the newer call.
///
/// - Parameters:
///   - padding: for RSA: none for a whole block, or PKCS#1 with or without the name of a digest. For elliptic curves:
///     none or any PKCS#1 padding for a signature in DER, and ``SecPadding/sigRaw`` for two numbers side by side.
///   - sigLen: the size of `sig` in bytes; receives the length of the signature.
/// - Returns: `errSecParam` for other paddings, for data whose length does not fit the padding, and for too little
///   room.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafePointer<UInt8>, _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>, _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    CallStatus.of("SecKeyRawSign") { () throws(KeychainError) in
        try KeyBlockCalls.sign(
            key, padding, try CallerBytes.lent(dataToSign, dataToSignLen), into: .init(sig, sigLen))
    }
}

/// Verifies a signature of a digest or a block with this public key.
///
/// - Returns: `errSecVerifyFailed` where the signature does not match; otherwise as ``SecKeyRawSign(_:_:_:_:_:_:)``.
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>, _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>, _ sigLen: Int
) -> OSStatus {
    CallStatus.of("SecKeyRawVerify") { () throws(KeychainError) in
        try KeyBlockCalls.verify(
            key, padding, try CallerBytes.lent(signedData, signedDataLen), try CallerBytes.lent(sig, sigLen))
    }
}

/// Encrypts with an RSA public key and writes the result to the caller's memory.
///
/// ``SecKeyCreateEncryptedData(_:_:_:_:)`` is the newer call.
///
/// - Parameter padding: none, PKCS#1, or OAEP with SHA-1.
/// - Returns: as ``SecKeyRawSign(_:_:_:_:_:_:)``.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafePointer<UInt8>, _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>, _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    CallStatus.of("SecKeyEncrypt") { () throws(KeychainError) in
        try KeyBlockCalls.encrypt(
            key, padding, try CallerBytes.lent(plainText, plainTextLen), into: .init(cipherText, cipherTextLen))
    }
}

/// Decrypts with an RSA private key and writes the result to the caller's memory.
///
/// - Returns: `errSecDecode` for data that was not encrypted for this key; otherwise as
///   ``SecKeyRawSign(_:_:_:_:_:_:)``. With PKCS#1 v1.5 such data decrypts to pseudorandom bytes without an error.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafePointer<UInt8>, _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>, _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    CallStatus.of("SecKeyDecrypt") { () throws(KeychainError) in
        try KeyBlockCalls.decrypt(
            key, padding, try CallerBytes.lent(cipherText, cipherTextLen), into: .init(plainText, plainTextLen))
    }
}

/// Bytes that a caller passes as a pointer and a length.
package enum CallerBytes {
    /// - Throws: `errSecParam` for a negative length, and for a null pointer with a length.
    package static func lent(_ bytes: UnsafePointer<UInt8>?, _ count: Int) throws(KeychainError)
        -> UnsafeRawBufferPointer
    {
        guard count >= 0, bytes != nil || count == 0 else {
            throw KeychainError(.param, "a length is negative, or a pointer is null that has a length")
        }
        // SAFETY: the caller says that there are as many bytes, for as long as the call lasts.
        return UnsafeRawBufferPointer(start: bytes, count: count)
    }
}
