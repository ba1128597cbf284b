import CoreFoundation

/// For which uses of a key a setting counts. What evaluates chains asks for ``useSignCert`` alone.
public struct SecTrustSettingsKeyUsage: OptionSet, @unchecked Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static var useSignature: SecTrustSettingsKeyUsage { .init(rawValue: 1) }
    public static var useEnDecryptData: SecTrustSettingsKeyUsage { .init(rawValue: 2) }
    public static var useEnDecryptKey: SecTrustSettingsKeyUsage { .init(rawValue: 4) }
    public static var useSignCert: SecTrustSettingsKeyUsage { .init(rawValue: 8) }
    public static var useSignRevocation: SecTrustSettingsKeyUsage { .init(rawValue: 16) }
    public static var useKeyExchange: SecTrustSettingsKeyUsage { .init(rawValue: 32) }
    public static var useAny: SecTrustSettingsKeyUsage { .init(rawValue: .max) }
}

/// A `SecPolicy` for which alone the setting counts.
@inlinable public var kSecTrustSettingsPolicy: String { "kSecTrustSettingsPolicy" }
/// A host name or e-mail address that the policy has to be for.
@inlinable public var kSecTrustSettingsPolicyString: String { "kSecTrustSettingsPolicyString" }
/// A `SecTrustedApplication` for which alone the setting counts. Here the program at its path is meant.
@inlinable public var kSecTrustSettingsApplication: String { "kSecTrustSettingsApplication" }
/// Number of a ``SecTrustSettingsKeyUsage``.
@inlinable public var kSecTrustSettingsKeyUsage: String { "kSecTrustSettingsKeyUsage" }
/// Number of a status that does not count against the certificate.
@inlinable public var kSecTrustSettingsAllowedError: String { "kSecTrustSettingsAllowedError" }
/// Number of a ``SecTrustSettingsResult``; without it the certificate is a trusted root.
@inlinable public var kSecTrustSettingsResult: String { "kSecTrustSettingsResult" }
