import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecKeyRawSign` of `Security/SecKey.h`.
@_cdecl("SecKeyRawSign")
public func keyRawSign(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ data: UnsafePointer<UInt8>?, _ dataCount: Int,
    _ signature: UnsafeMutablePointer<UInt8>?, _ signatureCount: UnsafeMutablePointer<Int>?
) -> OSStatus {
    CallStatus.of("SecKeyRawSign") { () throws(KeychainError) in
        try KeyBlockCalls.sign(
            try ForeignKey.content(key), SecPadding(rawValue: padding), try CallerBytes.lent(data, dataCount),
            into: try ForeignKey.place(signature, signatureCount))
    }
}

/// `SecKeyRawVerify` of `Security/SecKey.h`.
@_cdecl("SecKeyRawVerify")
public func keyRawVerify(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ data: UnsafePointer<UInt8>?, _ dataCount: Int,
    _ signature: UnsafePointer<UInt8>?, _ signatureCount: Int
) -> OSStatus {
    CallStatus.of("SecKeyRawVerify") { () throws(KeychainError) in
        try KeyBlockCalls.verify(
            try ForeignKey.content(key), SecPadding(rawValue: padding), try CallerBytes.lent(data, dataCount),
            try CallerBytes.lent(signature, signatureCount))
    }
}

/// `SecKeyEncrypt` of `Security/SecKey.h`.
@_cdecl("SecKeyEncrypt")
public func keyEncrypt(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ plain: UnsafePointer<UInt8>?, _ plainCount: Int,
    _ cipher: UnsafeMutablePointer<UInt8>?, _ cipherCount: UnsafeMutablePointer<Int>?
) -> OSStatus {
    CallStatus.of("SecKeyEncrypt") { () throws(KeychainError) in
        try KeyBlockCalls.encrypt(
            try ForeignKey.content(key), SecPadding(rawValue: padding), try CallerBytes.lent(plain, plainCount),
            into: try ForeignKey.place(cipher, cipherCount))
    }
}

/// `SecKeyDecrypt` of `Security/SecKey.h`.
@_cdecl("SecKeyDecrypt")
public func keyDecrypt(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ cipher: UnsafePointer<UInt8>?, _ cipherCount: Int,
    _ plain: UnsafeMutablePointer<UInt8>?, _ plainCount: UnsafeMutablePointer<Int>?
) -> OSStatus {
    CallStatus.of("SecKeyDecrypt") { () throws(KeychainError) in
        try KeyBlockCalls.decrypt(
            try ForeignKey.content(key), SecPadding(rawValue: padding), try CallerBytes.lent(cipher, cipherCount),
            into: try ForeignKey.place(plain, plainCount))
    }
}

extension ForeignKey {
    /// The caller's memory for a result.
    fileprivate static func place(
        _ bytes: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?
    ) throws(KeychainError) -> KeyBlockCalls.Place {
        guard let bytes, let count else {
            throw KeychainError(.param, "there is no place for the result, or for how long it is")
        }
        return KeyBlockCalls.Place(bytes, count)
    }
}
