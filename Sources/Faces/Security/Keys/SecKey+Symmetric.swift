import ChatelaineModel
import Foundation

/// Makes a symmetric key.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` with `kSecAttrKeyTypeAES`, and `kSecAttrKeySizeInBits` with 128, 192 or 256.
///     With `kSecAttrIsPermanent` the key becomes an item with the other attributes of the dictionary. With
///     `kSecAttrIsExtractable` false too, the daemons make and use it, and nobody gets its bytes.
///   - error: receives a retained error in the domain `kCFErrorDomainOSStatus` on failure; may be nil, here and
///     below.
/// - Returns: nil with `errSecParam` for another kind or size.
@discardableResult
public func SecKeyGenerateSymmetric(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyCallResult.of("SecKeyGenerateSymmetric", error) { () throws(KeychainError) in
        try KeyCalls.generateSymmetric(try QueryDictionary.pairs(of: parameters))
    }
}

/// Makes a key from its bytes.
///
/// - Parameters:
///   - parameters: as for ``SecKeyGenerateSymmetric(_:_:)``, but the size is optional; or `kSecAttrKeyType` and
///     `kSecAttrKeyClass` of another kind of key.
///   - keyData: the bytes of an AES key; for other kinds, what ``SecKeyCreateWithData(_:_:_:)`` takes. A private
///     elliptic curve key may also be DER of SEC 1.
@discardableResult
public func SecKeyCreateFromData(
    _ parameters: CFDictionary, _ keyData: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyCallResult.of("SecKeyCreateFromData", error) { () throws(KeychainError) in
        try KeyCalls.make(
            of: QueryDictionary.value(keyData, isSecret: true), try QueryDictionary.pairs(of: parameters))
    }
}

/// Derives a symmetric key from a password by PBKDF2.
///
/// - Parameter parameters: as for ``SecKeyGenerateSymmetric(_:_:)``, with `kSecAttrSalt`, `kSecAttrRounds` and
///   optionally `kSecAttrPRF`, by default `kSecAttrPRFHmacAlgSHA256`.
/// - Returns: nil with `errSecParam` also without a salt or rounds, and for so many rounds that the call would take
///   minutes.
@discardableResult
public func SecKeyDeriveFromPassword(
    _ password: CFString, _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyCallResult.of("SecKeyDeriveFromPassword", error) { () throws(KeychainError) in
        try KeyCalls.deriveSymmetric(
            QueryDictionary.value(password, isSecret: true), try QueryDictionary.pairs(of: parameters))
    }
}

/// Returns a symmetric key encrypted by another symmetric key (RFC 3394).
///
/// - Parameter parameters: ignored.
/// - Returns: nil with `errSecParam` for keys that are not symmetric, `errSecUnimplemented` for a `keyToWrap` whose
///   bytes never leave the keychain.
@discardableResult
public func SecKeyWrapSymmetric(
    _ keyToWrap: SecKey, _ wrappingKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyCallResult.data("SecKeyWrapSymmetric", error) { () throws(KeychainError) in
        try KeyCalls.wrap(keyToWrap, by: wrappingKey)
    }
}

/// Returns the symmetric key that was wrapped.
///
/// - Parameter parameters: as for ``SecKeyGenerateSymmetric(_:_:)``; kind and size are optional.
/// - Returns: nil with `errSecDecode` for data that this key did not wrap.
@discardableResult
public func SecKeyUnwrapSymmetric(
    _ keyToUnwrap: UnsafeMutablePointer<Unmanaged<CFData>?>, _ unwrappingKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyCallResult.of("SecKeyUnwrapSymmetric", error) { () throws(KeychainError) in
        guard let wrapped = keyToUnwrap.pointee?.takeUnretainedValue() else {
            throw KeychainError(.param, "there is nothing to unwrap")
        }
        return try KeyCalls.unwrap(
            QueryDictionary.value(wrapped, isSecret: false), by: unwrappingKey,
            try QueryDictionary.pairs(of: parameters))
    }
}
