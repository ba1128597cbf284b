import CoreFoundation

/// The uses of a key to which a setting applies; trust evaluations check ``useSignCert`` alone.
public struct SecTrustSettingsKeyUsage: OptionSet, Sendable {
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

/// The only `SecPolicy` to which the setting applies.
@inlinable public var kSecTrustSettingsPolicy: String { "kSecTrustSettingsPolicy" }
/// The host name or e-mail address that the policy must be for.
@inlinable public var kSecTrustSettingsPolicyString: String { "kSecTrustSettingsPolicyString" }
/// The only `SecTrustedApplication` to which the setting applies, identified by the path of its program.
@inlinable public var kSecTrustSettingsApplication: String { "kSecTrustSettingsApplication" }
/// The number of a ``SecTrustSettingsKeyUsage``.
@inlinable public var kSecTrustSettingsKeyUsage: String { "kSecTrustSettingsKeyUsage" }
/// The number of a status that the evaluation ignores for the certificate.
@inlinable public var kSecTrustSettingsAllowedError: String { "kSecTrustSettingsAllowedError" }
/// The number of a ``SecTrustSettingsResult``; without it the certificate is a trusted root.
@inlinable public var kSecTrustSettingsResult: String { "kSecTrustSettingsResult" }
