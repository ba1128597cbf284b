import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Security
import Synchronization

/// Keys of this process and of the keychain. `{"reference": N}` is a key that a call returned; data is base64.
///
/// `"export"` and `"raw"` request the bytes of a key: by Apple's call, and directly by the protocol.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    static func performKey(_ command: [String: Any]) -> [String: Any]? {
        let query = dictionary(command["query"])
        let key = query["key"].map { $0 as AnyObject } as? SecKey
        let data = query["data"] as? Data ?? Data()
        let algorithm = SecKeyAlgorithm(rawValue: (command["algorithm"] as? String ?? "") as CFString)
        var error: Unmanaged<CFError>?
        switch command["call"] as? String {
        case "makeKey": return answer(SecKeyCreateRandomKey(parameters(command), &error), error)
        case "makePair":
            var (publicKey, privateKey): (SecKey?, SecKey?)
            let status = SecKeyGeneratePair(parameters(command), &publicKey, &privateKey)
            guard let publicKey, let privateKey else { return ["status": Int(status)] }
            return ["status": Int(status), "result": [publicKey, privateKey].map { encoded($0, isBrief: false) }]
        case "readKey":
            return answer(SecKeyCreateWithData(data as CFData, parameters(command), &error), error)
        case "readSymmetric":
            return answer(SecKeyCreateFromData(parameters(command), data as CFData, &error), error)
        case "deriveSymmetric":
            return answer(SecKeyDeriveFromPassword("password" as CFString, parameters(command), &error), error)
        case "makeSymmetric": return answer(SecKeyGenerateSymmetric(parameters(command), &error), error)
        default: break
        }
        guard let key else { return nil }
        switch command["call"] as? String {
        case "publicKey": return answer(SecKeyCopyPublicKey(key), nil)
        case "export": return answer(SecKeyCopyExternalRepresentation(key, &error), error)
        case "equal":
            guard let other = query["other"].map({ $0 as AnyObject }) as? SecKey else {
                return ["error": "no other key"]
            }
            return ["status": 0, "result": CFEqual(key, other) && CFHash(key) == CFHash(other)]
        case "keyAttributes": return answer(SecKeyCopyAttributes(key), nil)
        case "sign": return answer(SecKeyCreateSignature(key, algorithm, data as CFData, &error), error)
        case "verify":
            let signature = query["signature"] as? Data ?? Data()
            let isRight = SecKeyVerifySignature(key, algorithm, data as CFData, signature as CFData, &error)
            return ["status": status(of: error, isRight), "result": isRight]
        case "encrypt": return answer(SecKeyCreateEncryptedData(key, algorithm, data as CFData, &error), error)
        case "decrypt": return answer(SecKeyCreateDecryptedData(key, algorithm, data as CFData, &error), error)
        case "agree":
            guard let other = query["other"].map({ $0 as AnyObject }) as? SecKey else {
                return ["error": "no other key"]
            }
            let wanted: [String: Any] = ["requestedSize": query["size"] ?? 0, "sharedInfo": data]
            return answer(
                SecKeyCopyKeyExchangeResult(key, algorithm, other, wanted as CFDictionary, &error), error)
        case "wrap":
            guard let other = query["other"].map({ $0 as AnyObject }) as? SecKey else {
                return ["error": "no other key"]
            }
            return answer(SecKeyWrapSymmetric(key, other, [:] as CFDictionary, &error), error)
        case "unwrap":
            let wrapped = data as CFData
            var place: Unmanaged<CFData>? = Unmanaged.passUnretained(wrapped)
            let parameters = dictionary(command["parameters"]) as CFDictionary
            return answer(SecKeyUnwrapSymmetric(&place, key, parameters, &error), error)
        case "raw": return raw(key)
        case "signOnThreads":
            return signOnThreads(key, algorithm, command["count"] as? Int ?? 1, rounds: command["rounds"] as? Int ?? 1)
        default: return nil
        }
    }

    private static func parameters(_ command: [String: Any]) -> CFDictionary {
        // The bytes of a key that is read are no parameter of an item.
        var all = dictionary(command["query"]).filter { $0.key != "data" }
        for part in ["private", "public"] {
            if let pairs = (command["query"] as? [String: Any])?[part] { all[part] = dictionary(pairs) }
        }
        return all as CFDictionary
    }

    private static func answer(_ object: CFTypeRef?, _ error: Unmanaged<CFError>?) -> [String: Any] {
        guard let object else {
            let error = error?.takeRetainedValue()
            return [
                "status": error.map { CFErrorGetCode($0) } ?? 1,
                "result": ["domain": error.map { CFErrorGetDomain($0) as String } ?? ""],
            ]
        }
        return ["status": 0, "result": encoded(object, isBrief: false)]
    }

    private static func status(of error: Unmanaged<CFError>?, _ isRight: Bool) -> Int {
        isRight ? 0 : (error?.takeRetainedValue()).map { CFErrorGetCode($0) } ?? 1
    }

    private static func raw(_ key: SecKey) -> [String: Any] {
        do {
            let bytes: SecretBytes
            if let handle = key.keychainItem {
                var use = KeyUsage(handle.reference.item.identifier, .export)
                use.authenticationUI = .fail
                bytes = try KeychainClient.shared.useKey(
                    use, in: KeychainScope(paths: handle.path.map { [$0] } ?? [], items: [handle.reference]))
            } else if let item = key.item?.identifier {
                bytes = try KeychainClient.shared.useKey(KeyUsage(item, .export))
            } else {
                return ["error": "no item"]
            }
            return ["status": 0, "result": bytes.count]
        } catch { return ["status": Int(error.status.rawValue)] }
    }

    /// Signs on several threads; returns the first status of a signature that failed or does not verify.
    private static func signOnThreads(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ count: Int, rounds: Int
    ) -> [String: Any] {
        guard let publicKey = SecKeyCopyPublicKey(key) else { return ["error": "no public key"] }
        let wrong = Mutex(0)
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                for round in 0..<rounds {
                    let message = Data("thread \(index) \(round)".utf8) as CFData
                    var error: Unmanaged<CFError>?
                    let signature = SecKeyCreateSignature(key, algorithm, message, &error)
                    let isRight =
                        signature.map { SecKeyVerifySignature(publicKey, algorithm, message, $0, nil) } ?? false
                    if !isRight { wrong.withLock { $0 = status(of: error, false) } }
                }
                group.leave()
            }
        }
        group.wait()
        return ["status": wrong.withLock { $0 }]
    }
}
