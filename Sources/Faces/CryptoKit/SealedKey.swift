import Crypto
import Foundation
import LocalAuthentication
import Security

/// A private key of the enclave that this program keeps: what both kinds of keys are made of.
///
/// The bytes are sealed for this device and for the access group of the program that made the key. To any other program they are worthless.
struct SealedKey: Sendable {
    /// Of a key that signs without anybody being asked, as long as the device is unlocked.
    enum Protection {
        case whenUnlocked
        case control(SecAccessControl)
    }

    /// Every second key has a compact public key; that none of so many has is less likely than a fault of the machine.
    private static let attempts = 64
    /// `kSecAttrTokenOID` of Apple's, which no header names: what stands for a key on a token that is no item.
    private static let tokenObject = "toid"

    let key: SecKey
    let dataRepresentation: Data
    /// 04, and both coordinates.
    let publicPoint: Data

    init(isCompact: Bool, _ protection: Protection, _ context: LAContext?) throws {
        for _ in 0..<Self.attempts {
            let key = try SealedKey(protection, context)
            let publicKey = try Crypto.P256.Signing.PublicKey(x963Representation: key.publicPoint)
            guard isCompact, publicKey.compactRepresentation == nil else {
                self = key
                return
            }
        }
        throw CryptoKitError.wrapFailure
    }

    private init(_ protection: Protection, _ context: LAContext?) throws {
        var privateKey: [CFString: Any] = [kSecAttrIsPermanent: false]
        switch protection {
        case .whenUnlocked: privateKey[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .control(let control): privateKey[kSecAttrAccessControl] = control
        }
        var parameters = Self.parameters(context)
        parameters[kSecAttrKeySizeInBits] = 256
        parameters[kSecPrivateKeyAttrs] = privateKey
        try self.init { SecKeyCreateRandomKey(parameters as CFDictionary, &$0) }
    }

    init(dataRepresentation: Data, _ context: LAContext?) throws {
        var parameters = Self.parameters(context)
        parameters[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
        try self.init { SecKeyCreateWithData(dataRepresentation as CFData, parameters as CFDictionary, &$0) }
    }

    private init(_ make: (inout Unmanaged<CFError>?) -> SecKey?) throws {
        key = try Self.result(make)
        guard let attributes = SecKeyCopyAttributes(key) as? [String: Any],
            let bytes = attributes[Self.tokenObject] as? Data, let publicKey = SecKeyCopyPublicKey(key)
        else { throw CryptoKitError.wrapFailure }
        dataRepresentation = bytes
        publicPoint = try Self.result { SecKeyCopyExternalRepresentation(publicKey, &$0) } as Data
    }

    private static func parameters(_ context: LAContext?) -> [CFString: Any] {
        var parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ]
        if let context { parameters[kSecUseAuthenticationContext] = context }
        return parameters
    }

    /// What a call of Security returns, or the error that it gives.
    static func result<Answer>(_ call: (inout Unmanaged<CFError>?) -> Answer?) throws -> Answer {
        var error: Unmanaged<CFError>?
        if let answer = call(&error) { return answer }
        throw error?.takeRetainedValue() as Error? ?? CryptoKitError.unwrapFailure
    }
}
