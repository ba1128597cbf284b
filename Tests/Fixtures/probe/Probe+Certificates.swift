import Foundation
import Security

/// The functions of SecCertificate.
extension Probe {
    static func certificate(_ text: String) -> SecCertificate? {
        SecCertificateCreateWithData(nil, (Data(base64Encoded: text) ?? Data()) as NSData)
    }

    /// Adds a certificate to the file keychain at a path.
    private static func addCertificate(_ command: [String: Any]) -> [String: Any] {
        guard let certificate = certificate(command["certificate"] as? String ?? "") else { return ["status": -50] }
        var keychain: SecKeychain?
        if let path = command["path"] as? String { SecKeychainOpen(path, &keychain) }
        return ["status": Int(SecCertificateAddToKeychain(certificate, keychain))]
    }

    /// `{"call": "certificate", "certificate": BASE64}`; the status is -50 where the data is no certificate.
    static func performCertificate(_ command: [String: Any]) -> [String: Any]? {
        if command["call"] as? String == "addCertificate" { return addCertificate(command) }
        guard command["call"] as? String == "certificate" else { return nil }
        guard let certificate = certificate(command["certificate"] as? String ?? "") else { return ["status": -50] }
        var (name, addresses): (CFString?, CFArray?)
        let status = SecCertificateCopyCommonName(certificate, &name)
        var error: Unmanaged<CFError>?
        var values: [String: Any?] = [
            "name": name, "nameStatus": Int(status), "summary": SecCertificateCopySubjectSummary(certificate),
            "serial": SecCertificateCopySerialNumberData(certificate, nil),
            "olderSerial": SecCertificateCopySerialNumber(certificate, nil),
            "issuer": SecCertificateCopyNormalizedIssuerSequence(certificate),
            "subject": SecCertificateCopyNormalizedSubjectSequence(certificate),
            "issuerContent": SecCertificateCopyNormalizedIssuerContent(certificate, nil),
            "subjectContent": SecCertificateCopyNormalizedSubjectContent(certificate, &error),
            "from": SecCertificateCopyNotValidBeforeDate(certificate),
            "until": SecCertificateCopyNotValidAfterDate(certificate),
            "short": SecCertificateCopyShortDescription(nil, certificate, nil),
            "long": SecCertificateCopyLongDescription(nil, certificate, nil),
            "data": SecCertificateCopyData(certificate),
            "isEqual": certificate == SecCertificateCreateWithData(nil, SecCertificateCopyData(certificate)),
        ]
        if SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess { values["emails"] = addresses }
        if let key = SecCertificateCopyKey(certificate) {
            var older: SecKey?
            values["key"] = SecKeyCopyExternalRepresentation(key, nil)
            values["isSameKey"] = SecCertificateCopyPublicKey(certificate, &older) == errSecSuccess && older == key
            values["label"] = (SecKeyCopyAttributes(key) as? [String: Any])?["klbl"]
        }
        let keys = command["keys"] as? [String]
        values["values"] = SecCertificateCopyValues(certificate, keys.map { $0 as NSArray }, nil)
        return ["status": 0, "result": encoded(values.compactMapValues { $0 }, isBrief: false)]
    }
}
