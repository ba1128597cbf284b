import Foundation
import Security

/// Preferred identities and certificates, and the system identities of the machine.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    ///
    /// It sets the first certificate of the search list. Results are common names.
    static func performPreferred(_ command: [String: Any]) -> [String: Any]? {
        guard command["call"] as? String == "Preferred" else { return nil }
        let name = NSString(string: command["name"] as? String ?? "")
        let usage = (command["usage"] as? [String]).map { $0 as NSArray }
        switch command["function"] as? String {
        case "CopyIdentity":
            var certificate: SecCertificate?
            if let identity = SecIdentityCopyPreferred(name, usage, nil) {
                SecIdentityCopyCertificate(identity, &certificate)
            }
            return answer(certificate)
        case "CopyCertificate": return answer(SecCertificateCopyPreferred(name, usage))
        case "SetCertificate":
            if command["clear"] != nil { return ["status": Int(SecCertificateSetPreferred(nil, name, usage))] }
            let query: [String: Any] = [
                kSecClass as String: kSecClassCertificate, kSecReturnRef as String: true,
                kSecUseDataProtectionKeychain as String: false,
            ]
            var found: CFTypeRef?
            SecItemCopyMatching(query as CFDictionary, &found)
            guard let certificate = found as? SecCertificate else { return ["status": -25300] }
            return ["status": Int(SecCertificateSetPreferred(certificate, name, usage))]
        case "CopySystem":
            var (identity, domain): (SecIdentity?, CFString?) = (nil, nil)
            let status = SecIdentityCopySystemIdentity(name, &identity, &domain)
            var certificate: SecCertificate?
            if let identity { SecIdentityCopyCertificate(identity, &certificate) }
            guard status == errSecSuccess else { return ["status": Int(status)] }
            var found = answer(certificate)
            found["result"] = [found["result"] as? String ?? "", domain as String? ?? ""]
            return found
        case "SetSystem":
            if command["clear"] != nil { return ["status": Int(SecIdentitySetSystemIdentity(name, nil))] }
            let query: [String: Any] = [
                kSecClass as String: kSecClassIdentity, kSecReturnRef as String: true,
                kSecUseDataProtectionKeychain as String: false,
                kSecAttrLabel as String: command["label"] as? String ?? "",
            ]
            var found: CFTypeRef?
            SecItemCopyMatching(query as CFDictionary, &found)
            guard let identity = found as? SecIdentity else { return ["status": -1] }
            return ["status": Int(SecIdentitySetSystemIdentity(name, identity))]
        default: return ["error": "no such function"]
        }
    }

    private static func answer(_ certificate: SecCertificate?) -> [String: Any] {
        guard let certificate else { return ["status": -25300] }
        var name: CFString?
        let status = SecCertificateCopyCommonName(certificate, &name)
        return ["status": Int(status), "result": name.map { $0 as String } ?? ""]
    }
}
