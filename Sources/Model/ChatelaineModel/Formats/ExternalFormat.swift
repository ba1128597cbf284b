/// The format of keys and certificates in a file, with Apple's numbers (`SecExternalFormat`), which are on the wire.
package enum ExternalFormat: UInt8, CBORValue, CaseIterable, Sendable {
    /// No format is given; it has to be detected, or chosen.
    case unknown = 0
    /// OpenSSL's formats of a key: PKCS#1, SEC 1, `SubjectPublicKeyInfo`; cleartext PKCS#8 is read as well.
    case openSSL = 1
    /// SSH's first version.
    case ssh = 2
    case bsafe = 3
    /// The bytes of a symmetric key.
    case rawKey = 4
    /// Encrypted PKCS#8.
    case wrappedPKCS8 = 5
    /// PEM with a header about its encryption.
    case wrappedOpenSSL = 6
    case wrappedSSH = 7
    case wrappedLSH = 8
    case x509 = 9
    /// Several blocks of PEM, one after the other.
    case pemSequence = 10
    case pkcs7 = 11
    case pkcs12 = 12
    case netscape = 13
    /// OpenSSH's format of keys.
    case openSSH = 14

    /// Whether the format is written only with a passphrase.
    package var isEncrypted: Bool {
        switch self {
        case .wrappedPKCS8, .wrappedOpenSSL, .pkcs12: true
        default: false
        }
    }
}

/// The content of a file, with Apple's numbers (`SecExternalItemType`), which are on the wire.
package enum ExternalKind: UInt8, CBORValue, CaseIterable, Sendable {
    case unknown = 0
    case privateKey = 1
    case publicKey = 2
    /// A symmetric key.
    case sessionKey = 3
    case certificate = 4
    case aggregate = 5
}

/// Limits of files that are read or written.
package enum FormatLimits {
    /// Bytes of a file: forty times the bundle of all certificates that a distribution trusts.
    package static let maximumFileBytes = 16 * 1024 * 1024
    /// Certificates and keys of a file: a distribution trusts 150.
    package static let maximumItems = 1024
    /// Bytes of a passphrase.
    package static let maximumPassphraseBytes = 1024
    /// Bytes of a certificate.
    package static let maximumCertificateBytes = 1024 * 1024
    /// Bytes of a key's external representation: twice that of the largest RSA key.
    package static let maximumKeyBytes = 8192
    /// Bytes of a symmetric key: far above any real one.
    package static let maximumSessionKeyBytes = 512
    /// Bytes of a name in a file.
    package static let maximumLabelBytes = 1024
    /// Bytes of an identifier with which a file relates keys to certificates.
    package static let maximumKeyIDBytes = 1024
}
