import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes a private key; ``SecKeyCopyPublicKey(_:)`` has the public one.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`: RSA with 1024 to 8192 bits, elliptic curves with 256, 384 or 521, Ed25519 and X25519,
///     which have one size.
///   - error: where an error in the domain `kCFErrorDomainOSStatus` goes, retained, when there is one; may be nil, here and below.
/// - Returns: nil with `errSecParam` for another kind or size, and with what storing fails with for a key that is to be an item
///   (`kSecAttrIsPermanent`). One of the enclave (`kSecAttrTokenID`) is an item, unless that is false: then the program keeps it.
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyResult.of("SecKeyCreateRandomKey", error) { () throws(KeychainError) in
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

/// What is called with a pair, or with why there is none: its code is 0 where there is one.
///
/// Apple declares three objects, whatever comes of it. Where there is no pair the keys are objects with which every call fails by that error.
public typealias SecKeyGeneratePairBlock = (SecKey, SecKey, CFError) -> Void

/// The same as ``SecKeyGeneratePair(_:_:_:)``, without waiting: the result, public key first, comes on that queue.
public func SecKeyGeneratePairAsync(
    _ parameters: CFDictionary, _ deliveryQueue: DispatchQueue, _ result: @escaping SecKeyGeneratePairBlock
) {
    let body = OnceCalled(result)
    // Read before the call returns: the program may change it then.
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

/// Reads a key in its external representation: PKCS#1 of RSA, X9.63 of elliptic curves, the bytes of Ed25519 and X25519.
///
/// - Parameter attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; a size is not asked for. With `kSecAttrTokenID` the data are what this program
///   has kept of a key of the enclave.
/// - Returns: nil with `errSecParam` for what is no such key, one that is damaged included.
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    KeyResult.of("SecKeyCreateWithData", error) { () throws(KeychainError) in
        try KeyCalls.read(
            QueryDictionary.value(keyData, isSecret: true), try QueryDictionary.pairs(of: attributes))
    }
}

/// Writes a key: PKCS#1 of RSA; of elliptic curves 04, X and Y, and K of a private key; of Ed25519, X25519 and AES its bytes.
///
/// - Returns: nil with `errSecUnimplemented` for a private key that never leaves.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyResult.data("SecKeyCopyExternalRepresentation", error) { () throws(KeychainError) in
        try KeyCalls.representation(of: key)
    }
}

/// The public key of a private one; an equal key of a public one.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    KeyResult.of("SecKeyCopyPublicKey", nil) { () throws(KeychainError) in try KeyCalls.publicKey(of: key) }
}

/// Kind, class, size and label of a key, and what it can be used for.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    KeyResult.of("SecKeyCopyAttributes", nil) { () throws(KeychainError) in
        ResultObject.make(try KeyCalls.attributes(of: key)) as? NSDictionary
    } ?? nil
}

/// Bytes of a block of RSA or AES, or of a number of the curve.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int {
    key.symmetricKey == nil ? (try? key.publicHalf().blockBytes) ?? 0 : SymmetricKeyHolder.blockBytes
}

/// Whether an operation with this key has such an algorithm.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool { KeyCalls.supports(key, operation, .text(algorithm.name)) }

/// Signs data, or their digest, as the algorithm says.
///
/// - Returns: nil with `errSecParam` for an algorithm that the key does not have, and for data of a length that the algorithm does not have.
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyResult.data("SecKeyCreateSignature", error) { () throws(KeychainError) in
        try KeyCalls.sign(key, .text(algorithm.name), QueryDictionary.value(dataToSign, isSecret: false))
    }
}

/// Whether a signature is that of data by the other half of this key.
///
/// - Returns: false with `errSecVerifyFailed` for another signature, and with `errSecParam` as ``SecKeyCreateSignature(_:_:_:_:)``.
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    KeyResult.of("SecKeyVerifySignature", error) { () throws(KeychainError) in
        try KeyCalls.verify(
            key, .text(algorithm.name), QueryDictionary.value(signedData, isSecret: false),
            QueryDictionary.value(signature, isSecret: false))
        return true
    } ?? false
}

/// Encrypts data for whoever has the private key.
///
/// - Returns: nil with `errSecParam` for an algorithm that the key does not have, and for more than there is room for.
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyResult.data("SecKeyCreateEncryptedData", error) { () throws(KeychainError) in
        try KeyCalls.encrypt(key, .text(algorithm.name), QueryDictionary.value(plaintext, isSecret: false))
    }
}

/// Decrypts what was encrypted for this key.
///
/// - Returns: nil with `errSecDecode` for what was not, whatever is wrong with it. By PKCS#1 v1.5 that comes to data of the key's own making.
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyResult.data("SecKeyCreateDecryptedData", error) { () throws(KeychainError) in
        try KeyCalls.decrypt(key, .text(algorithm.name), QueryDictionary.value(ciphertext, isSecret: false))
    }
}

/// What a private key and another's public key agree on.
///
/// - Parameter parameters: how many bytes are derived (``SecKeyKeyExchangeParameter/requestedSize``), and what goes into them besides
///   (``SecKeyKeyExchangeParameter/sharedInfo``), where the algorithm derives some.
/// - Returns: nil with `errSecParam` for keys of different curves, and `errSecDecode` where they come to nothing.
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    KeyResult.data("SecKeyCopyKeyExchangeResult", error) { () throws(KeychainError) in
        try KeyCalls.agree(
            privateKey, .text(algorithm.name), publicKey, try QueryDictionary.pairs(of: parameters))
    }
}

/// What calls answer that give an error apart.
enum KeyResult {
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
