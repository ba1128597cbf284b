import ChatelaineModel

/// Signs a digest, or a block, into memory of the caller's; ``SecKeyCreateSignature(_:_:_:_:)`` is the newer call.
///
/// - Parameters:
///   - padding: of RSA, none for a whole block, PKCS#1 with or without the name of a digest; of elliptic curves none or PKCS#1 for a signature in DER, and
///     ``SecPadding/sigRaw`` for two numbers side by side.
///   - sigLen: how many bytes there are; receives how many were filled.
/// - Returns: `errSecParam` for other paddings, for data of a length that the padding does not have, and for too little room.
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

/// Whether a signature is that of a digest, or of a block, by the other half of this key.
///
/// - Returns: `errSecVerifyFailed` for another signature; as ``SecKeyRawSign(_:_:_:_:_:_:)``.
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

/// Encrypts for whoever has the private key of RSA, into memory of the caller's; ``SecKeyCreateEncryptedData(_:_:_:_:)`` is the newer call.
///
/// - Parameter padding: none, PKCS#1, or OAEP, whose digest is SHA-1 then.
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

/// Decrypts what was encrypted for this key of RSA, into memory of the caller's.
///
/// - Returns: `errSecDecode` for what was not, but by PKCS#1 v1.5, where it comes to data of the key's own making; as ``SecKeyRawSign(_:_:_:_:_:_:)``.
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

/// Bytes that a caller names by a pointer and a length.
package enum CallerBytes {
    /// - Throws: `errSecParam` for a length that none has, and for a null pointer with one.
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
