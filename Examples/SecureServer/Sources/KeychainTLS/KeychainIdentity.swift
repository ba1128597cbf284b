import Foundation
import NIOSSL
import Security

/// A certificate of the keychain, with its private key, which stays there.
public struct KeychainIdentity {
    private let certificate: SecCertificate
    private let key: SecKey

    /// The identity with that label, which is the certificate's common name unless somebody gave it another.
    public init(label: String) throws {
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecAttrLabel: label, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitOne,
        ]
        var found: CFTypeRef?
        try KeychainFailure.check(SecItemCopyMatching(query as CFDictionary, &found))
        guard let identity = found as? SecIdentity else { throw KeychainFailure(status: errSecItemNotFound) }
        var (certificate, key): (SecCertificate?, SecKey?)
        try KeychainFailure.check(SecIdentityCopyCertificate(identity, &certificate))
        try KeychainFailure.check(SecIdentityCopyPrivateKey(identity, &key))
        guard let certificate, let key else { throw KeychainFailure(status: errSecItemNotFound) }
        (self.certificate, self.key) = (certificate, key)
    }

    /// Stores the identities of a PKCS#12 file in the keychain, whose keys nobody gets out again, and returns their
    /// labels.
    public static func importing(_ file: String, passphrase: String) throws -> [String] {
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        let options = [kSecImportExportPassphrase: passphrase, kSecAttrIsExtractable: false] as CFDictionary
        var items: CFArray?
        try KeychainFailure.check(SecPKCS12Import(content as CFData, options, &items))
        return try (items as? [[String: Any]] ?? []).compactMap { item in
            guard let identity = item[kSecImportItemIdentity as String] as? SecIdentity else { return nil }
            var certificate: SecCertificate?
            try KeychainFailure.check(SecIdentityCopyCertificate(identity, &certificate))
            return certificate.flatMap { SecCertificateCopySubjectSummary($0) as String? }
        }
    }

    /// The certificate, and those of the keychain that lead from it to an authority, which its peers have themselves.
    public var chain: [NIOSSLCertificateSource] {
        get throws {
            let query: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll,
            ]
            var (found, trust): (CFTypeRef?, SecTrust?)
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status != errSecItemNotFound { try KeychainFailure.check(status) }
            let certificates = [certificate] + (found as? [SecCertificate] ?? [])
            try KeychainFailure.check(
                SecTrustCreateWithCertificates(certificates as CFArray, SecPolicyCreateBasicX509(), &trust))
            guard let trust else { throw KeychainFailure(status: errSecInternalComponent) }
            // Whether it is trusted here is not the question: that is for its peers to say.
            _ = SecTrustEvaluateWithError(trust, nil)
            let issuers = (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []).dropFirst().filter {
                SecCertificateCopyNormalizedIssuerSequence($0) != SecCertificateCopyNormalizedSubjectSequence($0)
            }
            return try ([certificate] + issuers).map {
                let bytes = [UInt8](SecCertificateCopyData($0) as Data)
                return .certificate(try NIOSSLCertificate(bytes: bytes, format: .der))
            }
        }
    }

    public var privateKey: NIOSSLPrivateKeySource {
        .privateKey(NIOSSLPrivateKey(customPrivateKey: KeychainPrivateKey(key)))
    }
}
