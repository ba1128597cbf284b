import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecKeyGenerateSymmetric` of `Security/SecKey.h`.
@_cdecl("SecKeyGenerateSymmetric")
public func keyGenerateSymmetric(
    _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyGenerateSymmetric", error) { () throws(KeychainError) in
        try ForeignObject.make(try KeyCalls.generateSymmetric(try ForeignDictionary.pairs(of: parameters)), .key)
    }
}

/// `SecKeyCreateFromData` of `Security/SecKey.h`.
@_cdecl("SecKeyCreateFromData")
public func keyCreateFromData(
    _ parameters: UnsafeRawPointer?, _ data: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyCreateFromData", error) { () throws(KeychainError) in
        let key = try KeyCalls.make(
            of: ForeignValue.meaning(of: data, isSecret: true), try ForeignDictionary.pairs(of: parameters))
        return try ForeignObject.make(key, .key)
    }
}

/// `SecKeyDeriveFromPassword` of `Security/SecKey.h`.
@_cdecl("SecKeyDeriveFromPassword")
public func keyDeriveFromPassword(
    _ password: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyDeriveFromPassword", error) { () throws(KeychainError) in
        let key = try KeyCalls.deriveSymmetric(
            ForeignValue.meaning(of: password, isSecret: true), try ForeignDictionary.pairs(of: parameters))
        return try ForeignObject.make(key, .key)
    }
}

/// `SecKeyWrapSymmetric` of `Security/SecKey.h`.
@_cdecl("SecKeyWrapSymmetric")
public func keyWrapSymmetric(
    _ keyToWrap: UnsafeRawPointer?, _ wrappingKey: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyWrapSymmetric", error) { () throws(KeychainError) in
        let (inner, outer) = (try ForeignKey.content(keyToWrap), try ForeignKey.content(wrappingKey))
        return try ForeignResult.make(try KeyCalls.wrap(inner, by: outer))
    }
}

/// `SecKeyUnwrapSymmetric` of `Security/SecKey.h`.
@_cdecl("SecKeyUnwrapSymmetric")
public func keyUnwrapSymmetric(
    _ keyToUnwrap: UnsafePointer<UnsafeRawPointer?>?, _ unwrappingKey: UnsafeRawPointer?,
    _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignKey.answer("SecKeyUnwrapSymmetric", error) { () throws(KeychainError) in
        let key = try KeyCalls.unwrap(
            ForeignValue.meaning(of: keyToUnwrap?.pointee), by: try ForeignKey.content(unwrappingKey),
            try ForeignDictionary.pairs(of: parameters))
        return try ForeignObject.make(key, .key)
    }
}
