import Foundation
import Security

/// Signs JSON Web Tokens (RFC 7519) by ES256 with a key that was made in the enclave and never leaves it.
struct TokenSigner {
    /// What the keychain answered, where it was not success.
    struct Failure: Error, CustomStringConvertible {
        let status: OSStatus

        var description: String {
            let message = SecCopyErrorMessageString(status, nil) as String?
            return "\(message ?? "unknown error") (\(status))"
        }
    }

    /// The key is found by it.
    let tag: String

    /// A token with these claims, and with the time at which it was made.
    func token(with claims: [String: String], now: Date = Date()) throws -> String {
        let key = try key()
        var content: [String: Any] = claims
        content["iat"] = Int(now.timeIntervalSince1970)
        let header = try encoded(["alg": "ES256", "typ": "JWT"])
        let signed = try header + "." + encoded(content)
        var error: Unmanaged<CFError>?
        // RFC 7515 wants both numbers of the signature side by side, which is what RFC 4754 has as well.
        guard
            let signature = SecKeyCreateSignature(
                key, .ecdsaSignatureMessageRFC4754SHA256, Data(signed.utf8) as CFData, &error)
        else { throw error?.takeRetainedValue() as Error? ?? Failure(status: errSecInternalComponent) }
        return signed + "." + Self.base64URL(signature as Data)
    }

    /// The public key as a JSON Web Key (RFC 7517).
    func publicKey() throws -> String {
        guard let publicKey = SecKeyCopyPublicKey(try key()),
            let point = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?, point.count == 65
        else { throw Failure(status: errSecInvalidKeyRef) }
        // 04, and then both coordinates.
        let key: [String: Any] = [
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig",
            "x": Self.base64URL(point[1..<33]), "y": Self.base64URL(point[33..<65]),
        ]
        return String(decoding: try Self.json(key), as: UTF8.self)
    }

    /// Whether there was a key.
    func delete() throws -> Bool {
        let status = SecItemDelete(query as CFDictionary)
        guard status != errSecItemNotFound else { return false }
        guard status == errSecSuccess else { throw Failure(status: status) }
        return true
    }

    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(tag.utf8),
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ]
    }

    /// The key with the tag; one is made where there is none.
    private func key() throws -> SecKey {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnRef: true]) { $1 } as CFDictionary, &found)
        if status == errSecItemNotFound { return try newKey() }
        guard status == errSecSuccess, let key = found as? SecKey else { throw Failure(status: status) }
        return key
    }

    private func newKey() throws -> SecKey {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data(tag.utf8), kSecAttrLabel: "Signs tokens",
            ],
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw error?.takeRetainedValue() as Error? ?? Failure(status: errSecInternalComponent)
        }
        return key
    }

    private func encoded(_ object: [String: Any]) throws -> String { Self.base64URL(try Self.json(object)) }

    private static func json(_ object: [String: Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
