/// The key usage of a certificate, from its extension (RFC 5280, section 4.2.1.3).
///
/// ``SecCertificateCopyValues(_:_:_:)`` returns the number under `kSecOIDKeyUsage`.
public struct SecKeyUsage: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Signs data other than certificates and revocation lists.
    public static var digitalSignature: SecKeyUsage { .init(rawValue: 1) }
    /// Signs so that the signer cannot deny it later.
    public static var nonRepudiation: SecKeyUsage { .init(rawValue: 2) }
    /// The newer name of ``nonRepudiation``.
    public static var contentCommitment: SecKeyUsage { .init(rawValue: 2) }
    /// Encrypts keys.
    public static var keyEncipherment: SecKeyUsage { .init(rawValue: 4) }
    /// Encrypts data other than keys.
    public static var dataEncipherment: SecKeyUsage { .init(rawValue: 8) }
    /// Agrees on shared keys.
    public static var keyAgreement: SecKeyUsage { .init(rawValue: 16) }
    /// Signs certificates.
    public static var keyCertSign: SecKeyUsage { .init(rawValue: 32) }
    /// Signs lists of revoked certificates.
    public static var crlSign: SecKeyUsage { .init(rawValue: 64) }
    /// With ``keyAgreement``: for encryption only.
    public static var encipherOnly: SecKeyUsage { .init(rawValue: 128) }
    /// With ``keyAgreement``: for decryption only.
    public static var decipherOnly: SecKeyUsage { .init(rawValue: 256) }
    /// The extension is critical.
    public static var critical: SecKeyUsage { .init(rawValue: 1 << 31) }
    /// All uses.
    public static var all: SecKeyUsage { .init(rawValue: 0x7FFF_FFFF) }
}

// Tags of a certificate’s attributes, with their characters, for
// ``SecKeychainItemCopyAttributesAndData(_:_:_:_:_:_:)`` and similar calls.

/// Tag of a certificate’s attribute: its type, `ctyp`.
public var kSecCertTypeItemAttr: Int { 0x6374_7970 }

/// Tag of a certificate’s attribute: its encoding, `cenc`.
public var kSecCertEncodingItemAttr: Int { 0x6365_6E63 }

/// Tag of a certificate’s attribute: the normalised name of its subject, `subj`.
public var kSecSubjectItemAttr: Int { 0x7375_626A }

/// Tag of a certificate’s attribute: the normalised name of its issuer, `issu`.
public var kSecIssuerItemAttr: Int { 0x6973_7375 }

/// Tag of a certificate’s attribute: its serial number, `snbr`.
public var kSecSerialNumberItemAttr: Int { 0x736E_6272 }

/// Tag of a certificate’s attribute: the identifier of its key, `skid`.
public var kSecSubjectKeyIdentifierItemAttr: Int { 0x736B_6964 }

/// Tag of a certificate’s attribute: the hash of its key, `hpky`.
public var kSecPublicKeyHashItemAttr: Int { 0x6870_6B79 }
