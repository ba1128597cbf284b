import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The calls of `SecIdentity`, for Swift and for C alike.
package enum IdentityCalls {
    /// `SecIdentityCreate`.
    ///
    /// - Throws: `errSecParam` for a public key, and for a key that does not belong to the certificate; `errSecDecode` for what is no certificate.
    package static func make(
        _ certificate: SecCertificate, _ privateKey: SecKey
    ) throws(KeychainError) -> SecIdentity {
        guard privateKey.isPrivate else {
            throw KeychainError(.param, "an identity has a private key, and this one is public")
        }
        guard try publicKey(of: certificate) == privateKey.publicBytes else {
            throw KeychainError(.param, "the private key does not belong to the certificate")
        }
        return SecIdentity(certificate: certificate, privateKey: privateKey)
    }

    /// The external representation, as formatd reads it: a stranger's certificate is not parsed here.
    private static func publicKey(of certificate: SecCertificate) throws(KeychainError) -> [UInt8]? {
        let file = ExternalFile(SecretBytes(certificate.der), format: .x509)
        guard case .certificate(_, let key)? = try KeychainClient.shared.read(file).items.first?.content else {
            throw KeychainError(.decode, "the data are no certificate")
        }
        return key
    }
}
