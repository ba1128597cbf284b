import CryptoKit
import Foundation
import LocalAuthentication
import Security

/// CryptoKit, as a program for Apple's platforms uses it.
///
/// The result for a key is `{"kept": …, "public": …}`, and `"kept"` in a query opens the key again.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    static func performCryptoKit(_ command: [String: Any]) -> [String: Any]? {
        guard let call = command["call"] as? String, call.hasPrefix("cryptoKit") else { return nil }
        let query = dictionary(command["query"])
        do {
            switch call {
            case "cryptoKitAvailable": return ["status": 0, "result": SecureEnclave.isAvailable]
            case "cryptoKitSigner":
                let key = try signer(query)
                return described(key.dataRepresentation, key.publicKey.x963Representation)
            case "cryptoKitSign":
                let data = query["data"] as? Data ?? Data()
                let key = try signer(query)
                let signatures = [try key.signature(for: data), try key.signature(for: SHA512.hash(data: data))]
                let isRight =
                    key.publicKey.isValidSignature(signatures[0], for: data)
                    && key.publicKey.isValidSignature(signatures[1], for: SHA512.hash(data: data))
                    && !key.publicKey.isValidSignature(signatures[0], for: data + [0])
                return ["status": isRight ? 0 : 1, "result": encoded(signatures[0].derRepresentation as NSData)]
            case "cryptoKitAgreer":
                let key = try agreer(query)
                return described(key.dataRepresentation, key.publicKey.x963Representation)
            case "cryptoKitAgree": return try agree(try agreer(query))
            default: return ["error": "no such call"]
            }
        } catch { return ["status": (error as NSError).code, "result": "\(error)"] }
    }

    private static func encoded(_ data: NSData) -> [String: String] {
        ["data": (data as Data).base64EncodedString()]
    }

    private static func described(_ kept: Data, _ point: Data) -> [String: Any] {
        ["status": 0, "result": ["kept": encoded(kept as NSData), "public": encoded(point as NSData)]]
    }

    private static func context(_ query: [String: Any]) -> LAContext? { query["u_AuthCtx"] as? LAContext }

    private static func signer(_ query: [String: Any]) throws -> SecureEnclave.P256.Signing.PrivateKey {
        if let kept = query["kept"] as? Data {
            return try .init(dataRepresentation: kept, authenticationContext: context(query))
        }
        guard let control = query["accc"].map({ $0 as AnyObject }) as? SecAccessControl else {
            return try .init(authenticationContext: context(query))
        }
        return try .init(accessControl: control, authenticationContext: context(query))
    }

    private static func agreer(_ query: [String: Any]) throws -> SecureEnclave.P256.KeyAgreement.PrivateKey {
        guard let kept = query["kept"] as? Data else { return try .init(compactRepresentable: false) }
        return try .init(dataRepresentation: kept)
    }

    /// Agrees on a secret with a key in memory, and by HPKE with the key as the receiver's.
    private static func agree(_ key: SecureEnclave.P256.KeyAgreement.PrivateKey) throws -> [String: Any] {
        let other = P256.KeyAgreement.PrivateKey()
        let mine = try key.sharedSecretFromKeyAgreement(with: other.publicKey)
        let theirs = try other.sharedSecretFromKeyAgreement(with: key.publicKey)
        let keys = [mine, theirs].map {
            $0.hkdfDerivedSymmetricKey(using: SHA256.self, salt: Data(), sharedInfo: Data([1]), outputByteCount: 32)
        }
        let suite = HPKE.Ciphersuite.P256_SHA256_AES_GCM_256
        var sender = try HPKE.Sender(recipientKey: key.publicKey, ciphersuite: suite, info: Data())
        let sealed = try sender.seal(Data("a letter".utf8))
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: suite, info: Data(), encapsulatedKey: sender.encapsulatedKey)
        let letter = try recipient.open(sealed)
        let isRight = mine == theirs && keys[0] == keys[1] && letter == Data("a letter".utf8)
        return ["status": isRight ? 0 : 1]
    }
}
