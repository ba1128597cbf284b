import Crypto
import Foundation
import LocalAuthentication
import Security

/// A private key of the enclave that this program keeps; signing and agreement keys contain it.
///
/// The bytes are sealed for this device and for the access group of the program that made the key. No other program
/// can use them.
struct EnclaveKeyHandle: Sendable {
    /// The protection of a key: usable while the device is unlocked, or under an access control.
    enum Protection {
        case whenUnlocked
        case control(SecAccessControl)
    }

    /// The number of attempts to make a compact key.
    ///
    /// Half of all keys have a compact public key, so that 64 failures are less likely than a fault of the machine.
    private static let attempts = 64
    /// Apple's `kSecAttrTokenOID`, which no header declares: the attribute with the bytes of a token's key that is no
    /// item.
    private static let tokenObject = "toid"

    let key: SecKey
    let dataRepresentation: Data
    /// 04 and both coordinates of the public key.
    let publicPoint: Data

    init(isCompact: Bool, _ protection: Protection, _ context: LAContext?) throws {
        for _ in 0..<Self.attempts {
            let key = try EnclaveKeyHandle(protection, context)
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

    /// Returns the result of a Security call, or throws its error.
    static func result<Answer>(_ call: (inout Unmanaged<CFError>?) -> Answer?) throws -> Answer {
        var error: Unmanaged<CFError>?
        if let answer = call(&error) { return answer }
        throw error?.takeRetainedValue() as Error? ?? CryptoKitError.unwrapFailure
    }
}
