import ChatelaineModel
import Foundation

/// Makes a symmetric key.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` with `kSecAttrKeyTypeAES`, and `kSecAttrKeySizeInBits` with 128, 192 or 256. With `kSecAttrIsPermanent` it is an item,
///     with the attributes that stand beside it.
///   - error: where an error in the domain `kCFErrorDomainOSStatus` goes, retained, when there is one; may be nil, here and below.
/// - Returns: nil with `errSecParam` for another kind or size.
public func SecKeyGenerateSymmetric(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyResult.of("SecKeyGenerateSymmetric", error) { () throws(KeychainError) in
        try KeyCalls.generateSymmetric(try QueryDictionary.pairs(of: parameters))
    }
}

/// A key of these bytes.
///
/// - Parameters:
///   - parameters: as ``SecKeyGenerateSymmetric(_:_:)``, where the size need not be there; or `kSecAttrKeyType` and `kSecAttrKeyClass` of another key.
///   - keyData: the bytes of AES; of other keys what ``SecKeyCreateWithData(_:_:_:)`` takes, and of a private one of a curve also DER of SEC 1.
public func SecKeyCreateFromData(
    _ parameters: CFDictionary, _ keyData: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyResult.of("SecKeyCreateFromData", error) { () throws(KeychainError) in
        try KeyCalls.make(
            of: QueryDictionary.value(keyData, isSecret: true), try QueryDictionary.pairs(of: parameters))
    }
}

/// The symmetric key that follows from a password, by PBKDF2.
///
/// - Parameter parameters: as ``SecKeyGenerateSymmetric(_:_:)``; and `kSecAttrSalt`, `kSecAttrRounds`, and `kSecAttrPRF`, which is
///   `kSecAttrPRFHmacAlgSHA256` where it is not there.
/// - Returns: nil with `errSecParam` besides for no salt and no rounds, or more of these than end in minutes.
public func SecKeyDeriveFromPassword(
    _ password: CFString, _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyResult.of("SecKeyDeriveFromPassword", error) { () throws(KeychainError) in
        try KeyCalls.deriveSymmetric(
            QueryDictionary.value(password, isSecret: true), try QueryDictionary.pairs(of: parameters))
    }
}

/// A symmetric key, encrypted by another one (RFC 3394).
///
/// - Parameter parameters: nothing of them counts.
/// - Returns: nil with `errSecParam` for keys that are not symmetric.
public func SecKeyWrapSymmetric(
    _ keyToWrap: SecKey, _ wrappingKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyResult.data("SecKeyWrapSymmetric", error) { () throws(KeychainError) in
        try KeyCalls.wrap(keyToWrap, by: wrappingKey)
    }
}

/// The symmetric key that was wrapped.
///
/// - Parameter parameters: as ``SecKeyGenerateSymmetric(_:_:)``; kind and size need not be there.
/// - Returns: nil with `errSecDecode` for what this key did not wrap.
public func SecKeyUnwrapSymmetric(
    _ keyToUnwrap: UnsafeMutablePointer<Unmanaged<CFData>?>, _ unwrappingKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyResult.of("SecKeyUnwrapSymmetric", error) { () throws(KeychainError) in
        guard let wrapped = keyToUnwrap.pointee?.takeUnretainedValue() else {
            throw KeychainError(.param, "there is nothing to unwrap")
        }
        return try KeyCalls.unwrap(
            QueryDictionary.value(wrapped, isSecret: false), by: unwrappingKey,
            try QueryDictionary.pairs(of: parameters))
    }
}
