import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecKeyCreateRandomKey` of `Security/SecKey.h`.
@_cdecl("SecKeyCreateRandomKey")
public func keyCreateRandomKey(
    _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCreateRandomKey", error) { () throws(KeychainError) in
        try ForeignObject.make(try KeyCalls.generate(try ForeignDictionary.pairs(of: parameters)), .key)
    }
}

/// `SecKeyGeneratePair` of `Security/SecKey.h`.
@_cdecl("SecKeyGeneratePair")
public func keyGeneratePair(
    _ parameters: UnsafeRawPointer?, _ publicKey: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ privateKey: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeyGeneratePair") { () throws(KeychainError) in
        let made = try KeyCalls.generate(try ForeignDictionary.pairs(of: parameters))
        if let publicKey { publicKey.pointee = try ForeignObject.make(try KeyCalls.publicKey(of: made), .key) }
        if let privateKey { privateKey.pointee = try ForeignObject.make(made, .key) }
    }
}

/// `SecKeyCreateWithData` of `Security/SecKey.h`.
@_cdecl("SecKeyCreateWithData")
public func keyCreateWithData(
    _ data: UnsafeRawPointer?, _ attributes: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCreateWithData", error) { () throws(KeychainError) in
        let key = try KeyCalls.read(
            ForeignValue.meaning(of: data, isSecret: true), try ForeignDictionary.pairs(of: attributes))
        return try ForeignObject.make(key, .key)
    }
}

/// `SecKeyCopyExternalRepresentation` of `Security/SecKey.h`.
@_cdecl("SecKeyCopyExternalRepresentation")
public func keyCopyExternalRepresentation(
    _ key: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCopyExternalRepresentation", error) { () throws(KeychainError) in
        try ForeignResult.make(try KeyCalls.representation(of: try ForeignKey.content(key)))
    }
}

/// `SecKeyCopyPublicKey` of `Security/SecKey.h`.
@_cdecl("SecKeyCopyPublicKey")
public func keyCopyPublicKey(_ key: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCopyPublicKey", nil) { () throws(KeychainError) in
        try ForeignObject.make(try KeyCalls.publicKey(of: try ForeignKey.content(key)), .key)
    }
}

/// `SecKeyCopyAttributes` of `Security/SecKey.h`.
@_cdecl("SecKeyCopyAttributes")
public func keyCopyAttributes(_ key: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCopyAttributes", nil) { () throws(KeychainError) in
        try ForeignResult.make(try KeyCalls.attributes(of: try ForeignKey.content(key)))
    }
}

/// `SecKeyGetBlockSize` of `Security/SecKey.h`; 0 for an object that is no key.
@_cdecl("SecKeyGetBlockSize")
public func keyGetBlockSize(_ key: UnsafeRawPointer?) -> UInt {
    (try? ForeignKey.content(key)).map { UInt(SecKeyGetBlockSize($0)) } ?? 0
}

/// `SecKeyIsAlgorithmSupported` of `Security/SecKey.h`.
@_cdecl("SecKeyIsAlgorithmSupported")
public func keyIsAlgorithmSupported(
    _ key: UnsafeRawPointer?, _ operation: Int, _ algorithm: UnsafeRawPointer?
) -> UInt8 {
    guard let key = try? ForeignKey.content(key), let operation = SecKeyOperationType(rawValue: operation) else {
        return 0
    }
    return KeyCalls.supports(key, operation, ForeignValue.meaning(of: algorithm)) ? 1 : 0
}

/// `SecKeyCreateSignature` of `Security/SecKey.h`.
@_cdecl("SecKeyCreateSignature")
public func keyCreateSignature(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ data: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCreateSignature", error) { () throws(KeychainError) in
        let key = try ForeignKey.content(key)
        return try ForeignResult.make(
            try KeyCalls.sign(key, ForeignValue.meaning(of: algorithm), ForeignValue.meaning(of: data)))
    }
}

/// `SecKeyVerifySignature` of `Security/SecKey.h`.
@_cdecl("SecKeyVerifySignature")
public func keyVerifySignature(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ data: UnsafeRawPointer?, _ signature: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UInt8 {
    ForeignKey.answer("SecKeyVerifySignature", error) { () throws(KeychainError) -> UInt8 in
        let key = try ForeignKey.content(key)
        try KeyCalls.verify(
            key, ForeignValue.meaning(of: algorithm), ForeignValue.meaning(of: data),
            ForeignValue.meaning(of: signature))
        return 1
    } ?? 0
}

/// `SecKeyCreateEncryptedData` of `Security/SecKey.h`.
@_cdecl("SecKeyCreateEncryptedData")
public func keyCreateEncryptedData(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ data: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCreateEncryptedData", error) { () throws(KeychainError) in
        let key = try ForeignKey.content(key)
        return try ForeignResult.make(
            try KeyCalls.encrypt(key, ForeignValue.meaning(of: algorithm), ForeignValue.meaning(of: data)))
    }
}

/// `SecKeyCreateDecryptedData` of `Security/SecKey.h`.
@_cdecl("SecKeyCreateDecryptedData")
public func keyCreateDecryptedData(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ data: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCreateDecryptedData", error) { () throws(KeychainError) in
        let key = try ForeignKey.content(key)
        return try ForeignResult.make(
            try KeyCalls.decrypt(key, ForeignValue.meaning(of: algorithm), ForeignValue.meaning(of: data)))
    }
}

/// `SecKeyCopyKeyExchangeResult` of `Security/SecKey.h`.
@_cdecl("SecKeyCopyKeyExchangeResult")
public func keyCopyKeyExchangeResult(
    _ privateKey: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ publicKey: UnsafeRawPointer?,
    _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCopyKeyExchangeResult", error) { () throws(KeychainError) in
        let (own, other) = (try ForeignKey.content(privateKey), try ForeignKey.content(publicKey))
        return try ForeignResult.make(
            try KeyCalls.agree(
                own, ForeignValue.meaning(of: algorithm), other, try ForeignDictionary.pairs(of: parameters)))
    }
}

/// Reads keys of C programs, and runs calls that return their error through a pointer argument.
enum ForeignKey {
    static func content(_ key: UnsafeRawPointer?) throws(KeychainError) -> SecKey {
        try ForeignObject.content(key, .key)
    }

    static func answer<Answer>(
        _ name: StaticString, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?,
        _ body: () throws(KeychainError) -> Answer
    ) -> Answer? {
        do throws(KeychainError) { return try body() } catch let failure {
            FailureReport.write(name, failure)
            error?.pointee = ForeignResult.error(failure)
            return nil
        }
    }
}
