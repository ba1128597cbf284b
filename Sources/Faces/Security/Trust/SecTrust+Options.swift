import ChatelaineIPC
import ChatelaineModel
import CoreFoundation

/// Options of an evaluation: what it ignores, or requires besides its policies.
public struct SecTrustOptionFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Ignores expired certificates, except an expired root.
    public static var allowExpired: SecTrustOptionFlags { .init(rawValue: 1) }
    /// The evaluated certificate may be an authority's, which no policy here forbids.
    public static var leafIsCA: SecTrustOptionFlags { .init(rawValue: 2) }
    /// Fetches missing issuers, unless ``SecTrustSetNetworkFetchAllowed(_:_:)`` forbids it.
    public static var fetchIssuerFromNet: SecTrustOptionFlags { .init(rawValue: 4) }
    /// Ignores an expired root.
    public static var allowExpiredRoot: SecTrustOptionFlags { .init(rawValue: 8) }
    /// Requires an answer that each certificate below the anchor was not revoked.
    public static var requireRevPerCert: SecTrustOptionFlags { .init(rawValue: 16) }
    /// Uses trust settings, as every evaluation does.
    public static var useTrustSettings: SecTrustOptionFlags { .init(rawValue: 32) }
    /// Treats self-signed certificates of the evaluation as anchors.
    public static var implicitAnchors: SecTrustOptionFlags { .init(rawValue: 64) }
}

/// Replaces the options of an evaluation.
///
/// - Returns: `errSecParam` for unknown options.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    CallStatus.of("SecTrustSetOptions") { () throws(KeychainError) in
        try TrustCalls.setOptions(UInt64(options.rawValue), of: trustRef)
    }
}

/// Sets the file keychains in which an evaluation looks for intermediate certificates.
///
/// - Parameter keychainOrArray: a keychain, an array of keychains (empty for none), or nil for the search list.
/// - Returns: `errSecParam` for anything else.
@discardableResult
public func SecTrustSetKeychains(_ trust: SecTrust, _ keychainOrArray: CFTypeRef?) -> OSStatus {
    CallStatus.of("SecTrustSetKeychains") { () throws(KeychainError) in
        TrustCalls.setKeychains(try KeychainPasswordCalls.keychains(keychainOrArray), of: trust)
    }
}
