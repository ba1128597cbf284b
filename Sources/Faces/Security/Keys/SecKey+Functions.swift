import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes a private key; ``SecKeyCopyPublicKey(_:)`` returns its public key.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`. RSA keys have 1024 to 8192 bits, elliptic curve
///     keys 256, 384 or 521. Ed25519 and X25519 keys have one size, which need not be given. The dictionary under
///     `kSecPrivateKeyAttrs` overrides them. A key with `kSecAttrIsExtractable` false is not exported.
///   - error: receives a retained error in the domain `kCFErrorDomainOSStatus` on failure; may be nil, here and
///     below.
/// - Returns: nil with `errSecParam` for another kind or size. For a key that is to be an item
///   (`kSecAttrIsPermanent`), nil with the error of storing it. A key of the enclave (`kSecAttrTokenID`) is an item,
///   unless `kSecAttrIsPermanent` is false: then the program keeps it.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyCallResult.of("SecKeyCreateRandomKey", error) { () throws(KeychainError) in
        try KeyCalls.generate(try QueryDictionary.pairs(of: parameters))
    }
}

/// Makes a pair of keys.
///
/// - Returns: as ``SecKeyCreateRandomKey(_:_:)``.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    CallStatus.of("SecKeyGeneratePair") { () throws(KeychainError) in
        let made = try KeyCalls.generate(try QueryDictionary.pairs(of: parameters))
        publicKey?.pointee = try KeyCalls.publicKey(of: made)
        privateKey?.pointee = made
    }
}

/// The callback of ``SecKeyGeneratePairAsync(_:_:_:)``: public key, private key, and an error whose code is 0 on
/// success.
///
/// Apple declares three non-optional objects. On failure the keys are objects with which every call fails with the
/// same error.
public typealias SecKeyGeneratePairBlock = (SecKey, SecKey, CFError) -> Void

/// Makes a pair of keys without waiting, and passes the result, public key first, to `result` on `deliveryQueue`.
public func SecKeyGeneratePairAsync(
    _ parameters: CFDictionary, _ deliveryQueue: DispatchQueue, _ result: @escaping SecKeyGeneratePairBlock
) {
    let body = OnceCalled(result)
    // The call reads the dictionary before it returns, since the program may change the dictionary afterwards.
    let pairs = Result { () throws(KeychainError) in OnceCalled(try QueryDictionary.pairs(of: parameters)) }
    DispatchQueue.global().async {
        let made = Result { () throws(KeychainError) -> (publicKey: SecKey, privateKey: SecKey) in
            let key = try KeyCalls.generate(try pairs.get().body)
            return (try KeyCalls.publicKey(of: key), key)
        }
        deliveryQueue.async {
            switch made {
            case .success(let pair): body.body(pair.publicKey, pair.privateKey, ResultObject.noError)
            case .failure(let error):
                FailureReport.write("SecKeyGeneratePairAsync", error)
                body.body(SecKey(failingBy: error), SecKey(failingBy: error), ResultObject.error(error))
            }
        }
    }
}

/// Makes a key from its external representation.
///
/// The representation is PKCS#1 for RSA, X9.63 for elliptic curves, and the key's bytes for Ed25519 and X25519. RSA
/// keys are also read as `SubjectPublicKeyInfo` and in PKCS#8.
///
/// - Parameter attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; the size is not required. With
///   `kSecAttrTokenID`, `keyData` is what this program has kept of a key of the enclave.
/// - Returns: nil with `errSecParam` where the data is no such key or a damaged one.
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyCallResult.of("SecKeyCreateWithData", error) { () throws(KeychainError) in
        try KeyCalls.read(
            QueryDictionary.value(keyData, isSecret: true), try QueryDictionary.pairs(of: attributes))
    }
}

/// Returns the external representation of a key.
///
/// The representation is PKCS#1 for RSA. For elliptic curves it is 04, X and Y, followed by K for a private key. For
/// Ed25519, X25519 and AES it is the key's bytes.
///
/// - Returns: nil with `errSecUnimplemented` for a private key that cannot be exported.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyCallResult.data("SecKeyCopyExternalRepresentation", error) { () throws(KeychainError) in
        try KeyCalls.representation(of: key)
    }
}

/// Returns the public key of a private key; for a public key, an equal key.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    KeyCallResult.of("SecKeyCopyPublicKey", nil) { () throws(KeychainError) in try KeyCalls.publicKey(of: key) }
}

/// Returns the kind, class, size and label of a key, and its permitted uses.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    KeyCallResult.of("SecKeyCopyAttributes", nil) { () throws(KeychainError) in
        ResultObject.make(try KeyCalls.attributes(of: key)) as? NSDictionary
    } ?? nil
}

/// Returns the block size in bytes: of an RSA or AES block, or of a number on the curve.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int {
    key.symmetricKey == nil ? (try? key.publicHalf().blockBytes) ?? 0 : SymmetricKeyHolder.blockBytes
}

/// Returns whether this key supports an algorithm for an operation.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool { KeyCalls.supports(key, operation, .text(algorithm.name)) }

/// Signs data, or its digest, with the algorithm.
///
/// - Returns: nil with `errSecParam` for an algorithm that the key does not support, and for data whose length does
///   not fit the algorithm. A person who cancels, gives wrong answers or cannot be asked gives an error in the domain
///   of `LAError`, here and with the other uses of private keys.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyCallResult.data("SecKeyCreateSignature", error) { () throws(KeychainError) in
        try KeyCalls.sign(key, .text(algorithm.name), QueryDictionary.value(dataToSign, isSecret: false))
    }
}

/// Verifies a signature of data with this public key.
///
/// - Returns: false with `errSecVerifyFailed` where the signature does not match, and with `errSecParam` as for
///   ``SecKeyCreateSignature(_:_:_:_:)``.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    KeyCallResult.of("SecKeyVerifySignature", error) { () throws(KeychainError) in
        try KeyCalls.verify(
            key, .text(algorithm.name), QueryDictionary.value(signedData, isSecret: false),
            QueryDictionary.value(signature, isSecret: false))
        return true
    } ?? false
}

/// Encrypts data with this public key; only the private key decrypts it.
///
/// - Returns: nil with `errSecParam` for an algorithm that the key does not support, and for more data than fits.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyCallResult.data("SecKeyCreateEncryptedData", error) { () throws(KeychainError) in
        try KeyCalls.encrypt(key, .text(algorithm.name), QueryDictionary.value(plaintext, isSecret: false))
    }
}

/// Decrypts data that was encrypted for this private key.
///
/// - Returns: nil with `errSecDecode` for data that was not encrypted for this key, whatever is wrong with it. With
///   PKCS#1 v1.5 such data decrypts to pseudorandom bytes without an error.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyCallResult.data("SecKeyCreateDecryptedData", error) { () throws(KeychainError) in
        try KeyCalls.decrypt(key, .text(algorithm.name), QueryDictionary.value(ciphertext, isSecret: false))
    }
}

/// Returns the shared secret of a private key and another party's public key.
///
/// - Parameter parameters: for algorithms that derive bytes: the number of bytes
///   (``SecKeyKeyExchangeParameter/requestedSize``), and further input to the derivation
///   (``SecKeyKeyExchangeParameter/sharedInfo``).
/// - Returns: nil with `errSecParam` for keys of different curves, and with `errSecDecode` where the agreement has no
///   result.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyCallResult.data("SecKeyCopyKeyExchangeResult", error) { () throws(KeychainError) in
        try KeyCalls.agree(
            privateKey, .text(algorithm.name), publicKey, try QueryDictionary.pairs(of: parameters))
    }
}

/// Runs a call that returns its error through a pointer argument.
enum KeyCallResult {
    static func of<Answer>(
        _ name: StaticString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?,
        _ body: () throws(KeychainError) -> Answer
    ) -> Answer? {
        do throws(KeychainError) { return try body() } catch let failure {
            FailureReport.write(name, failure)
            error?.pointee = Unmanaged.passRetained(ResultObject.error(failure))
            return nil
        }
    }

    static func data(
        _ name: StaticString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?,
        _ body: () throws(KeychainError) -> ResultTree
    ) -> CFData? { of(name, error) { () throws(KeychainError) in ResultObject.make(try body()) as? NSData } ?? nil }
}
