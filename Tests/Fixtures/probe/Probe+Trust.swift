import Foundation
import Security

/// Evaluations of trust.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    ///
    /// `certificates` and `anchors` are Base64 of DER. The answer has the status of the first defect.
    static func performTrust(_ command: [String: Any]) -> [String: Any]? {
        guard command["call"] as? String == "trust" else { return nil }
        func certificates(_ name: String) -> [SecCertificate]? {
            (command[name] as? [String])?.compactMap { text in
                Data(base64Encoded: text).flatMap { SecCertificateCreateWithData(nil, $0 as NSData) }
            }
        }
        let policy = policy(command["policy"] as? String ?? "ssl", command["host"] as? String)
        var made: SecTrust?
        let status = SecTrustCreateWithCertificates((certificates("certificates") ?? []) as NSArray, policy, &made)
        guard status == errSecSuccess, let trust = made else { return ["status": Int(status)] }
        if let anchors = certificates("anchors") { SecTrustSetAnchorCertificates(trust, anchors as NSArray) }
        if let only = command["only"] as? Bool { SecTrustSetAnchorCertificatesOnly(trust, only) }
        if let date = command["date"] as? Double {
            SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: date))
        }
        if let options = command["options"] as? Int {
            SecTrustSetOptions(trust, SecTrustOptionFlags(rawValue: UInt32(options)))
        }
        if let keychains = command["keychains"] as? [String] {
            SecTrustSetKeychains(trust, keychains.compactMap { Self.keychain($0) } as NSArray)
        } else if command["keychains"] is NSNull {
            SecTrustSetKeychains(trust, nil)
        }
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(trust, &error)
        var result = SecTrustResultType.invalid
        SecTrustGetTrustResult(trust, &result)
        var answer: [String: Any] = ["status": error.map { CFErrorGetCode($0) } ?? 0]
        var details: [String: Any] = [
            "trusted": isTrusted, "result": Int(result.rawValue), "count": SecTrustGetCertificateCount(trust),
            "hasKey": SecTrustCopyKey(trust) != nil,
        ]
        if let error { details["reason"] = error.localizedDescription }
        if command["excepting"] as? Bool == true {
            details["isExcepted"] = SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust))
            details["trustedThen"] = SecTrustEvaluateWithError(trust, nil)
        }
        answer["result"] = details
        return answer
    }

    /// Makes the policy `basic`, `client` or `code`, or `ssl` for a server named `host`.
    static func policy(_ name: String, _ host: String?) -> SecPolicy? {
        switch name {
        case "basic": SecPolicyCreateBasicX509()
        case "client": SecPolicyCreateSSL(false, nil)
        case "code": SecPolicyCreateWithProperties(kSecPolicyAppleCodeSigning, nil)
        default: SecPolicyCreateSSL(true, host.map { NSString(string: $0) })
        }
    }
}
