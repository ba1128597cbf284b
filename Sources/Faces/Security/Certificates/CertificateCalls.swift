import ChatelaineModel

/// The calls of `SecCertificate`, for Swift and for C alike.
package enum CertificateCalls {
    /// `SecCertificateCreateWithData`.
    package static func make(_ data: QueryValue) throws(KeychainError) -> SecCertificate {
        guard case .data(let der) = data, !der.isEmpty else {
            throw KeychainError(.param, "a certificate is made of data")
        }
        return SecCertificate(der: der)
    }

    /// `SecCertificateCopyData`.
    package static func data(of certificate: SecCertificate) -> ResultTree { .data(certificate.der) }
}
