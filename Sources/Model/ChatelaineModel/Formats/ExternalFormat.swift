/// How keys and certificates are written in a file of others, with Apple's numbers (`SecExternalFormat`), which are on the wire.
package enum ExternalFormat: UInt8, CBORValue, CaseIterable, Sendable {
    /// Nobody says; what it is has to be found out, or chosen.
    case unknown = 0
    /// As OpenSSL writes a key: PKCS#1, SEC 1, `SubjectPublicKeyInfo`; read as well: PKCS#8 in the open.
    case openSSL = 1
    /// Of SSH's first version.
    case ssh = 2
    case bsafe = 3
    /// The bytes of a symmetric key.
    case rawKey = 4
    /// PKCS#8, encrypted.
    case wrappedPKCS8 = 5
    /// PEM with a header that says how it is encrypted.
    case wrappedOpenSSL = 6
    case wrappedSSH = 7
    case wrappedLSH = 8
    case x509 = 9
    /// Several blocks of PEM, one after the other.
    case pemSequence = 10
    case pkcs7 = 11
    case pkcs12 = 12
    case netscape = 13
    /// As OpenSSH writes keys.
    case openSSH = 14

    /// Whether nothing is written in it without a passphrase.
    package var isEncrypted: Bool {
        switch self {
        case .wrappedPKCS8, .wrappedOpenSSL, .pkcs12: true
        default: false
        }
    }
}

/// What is in a file, with Apple's numbers (`SecExternalItemType`), which are on the wire.
package enum ExternalKind: UInt8, CBORValue, CaseIterable, Sendable {
    case unknown = 0
    case privateKey = 1
    case publicKey = 2
    /// A symmetric one.
    case sessionKey = 3
    case certificate = 4
    case aggregate = 5
}

/// Bounds of files of others, and of what is made for them.
package enum FormatLimits {
    /// Bytes of a file: a bundle of all certificates that a distribution trusts is a fortieth of it.
    package static let maximumFileBytes = 16 * 1024 * 1024
    /// Certificates and keys of a file: a distribution trusts 150.
    package static let maximumItems = 1024
    /// Bytes of a passphrase, as of a keychain's password.
    package static let maximumPassphraseBytes = 1024
    /// Bytes of a certificate.
    package static let maximumCertificateBytes = 1024 * 1024
    /// Bytes of a key's external representation: an RSA key of the most bits has half of it.
    package static let maximumKeyBytes = 8192
    /// Bytes of a symmetric key: far above any.
    package static let maximumSessionKeyBytes = 512
    /// Bytes of a name that a file gives something.
    package static let maximumLabelBytes = 1024
    /// Bytes of a number by which a file says which key belongs to which certificate.
    package static let maximumKeyIDBytes = 1024
}
