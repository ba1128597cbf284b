import Foundation
import Security

/// The functions of `SecTrustSettings`.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    ///
    /// `certificate` is Base64 of DER, `domain` is a number, and `settings` are the settings to make. There `policy`
    /// stands for TLS where it is `true`, and `application` is a path.
    static func performTrustSettings(_ command: [String: Any]) -> [String: Any]? {
        guard command["call"] as? String == "SecTrustSettings" else { return nil }
        guard let domain = SecTrustSettingsDomain(rawValue: UInt32(command["domain"] as? Int ?? 0)) else {
            return ["error": "no such domain"]
        }
        let certificate = certificate(command["certificate"] as? String ?? "")
        var (array, date, data): (CFArray?, CFDate?, CFData?)
        let status: OSStatus
        switch (command["function"] as? String, certificate) {
        case ("CopyCertificates", _):
            status = SecTrustSettingsCopyCertificates(domain, &array)
            array = (array as? [SecCertificate])?.map { SecCertificateCopyData($0) } as NSArray?
        case ("CopyTrustSettings", let certificate?):
            status = SecTrustSettingsCopyTrustSettings(certificate, domain, &array)
            array = (array as? [[String: Any]])?.map(plain) as NSArray?
        case ("CopyModificationDate", let certificate?):
            status = SecTrustSettingsCopyModificationDate(certificate, domain, &date)
        case ("SetTrustSettings", let certificate?):
            status = SecTrustSettingsSetTrustSettings(certificate, domain, settings(command["settings"]))
        case ("RemoveTrustSettings", let certificate?):
            status = SecTrustSettingsRemoveTrustSettings(certificate, domain)
        case ("CreateExternalRepresentation", _):
            status = SecTrustSettingsCreateExternalRepresentation(domain, &data)
        case ("ImportExternalRepresentation", _):
            let given = (command["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            status = SecTrustSettingsImportExternalRepresentation(domain, given as NSData)
        default: return ["error": "no such function"]
        }
        var answer: [String: Any] = ["status": Int(status)]
        if let result: Any = array ?? date ?? data { answer["result"] = encoded(result, isBrief: false) }
        return answer
    }

    private static func settings(_ value: Any?) -> CFTypeRef? {
        if let array = value as? [[String: Any]] { return array.map { dictionary($0) as NSDictionary } as NSArray }
        return (value as? [String: Any]).map { dictionary($0) as NSDictionary }
    }

    private static func dictionary(_ given: [String: Any]) -> [String: Any] {
        var pairs = given
        if let policy = given["policy"] {
            // A text is the host of a TLS policy.
            pairs["policy"] = nil
            pairs[kSecTrustSettingsPolicy] = SecPolicyCreateSSL(true, policy as? NSString)
        }
        if let path = given["application"] as? String {
            var application: SecTrustedApplication?
            SecTrustedApplicationCreateFromPath(path, &application)
            pairs["application"] = nil
            pairs[kSecTrustSettingsApplication] = application
        }
        return pairs
    }

    /// The settings with identifiers and descriptions in place of objects.
    private static func plain(_ pairs: [String: Any]) -> [String: Any] {
        pairs.mapValues { value in
            switch value {
            case let policy as SecPolicy: SecPolicyCopyProperties(policy)?[kSecPolicyOid] ?? NSNull()
            case let application as SecTrustedApplication: application.description
            default: value
            }
        }
    }
}
