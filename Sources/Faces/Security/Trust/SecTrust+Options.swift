import ChatelaineIPC
import ChatelaineModel
import CoreFoundation

/// What an evaluation passes over, or asks for besides its policies.
public struct SecTrustOptionFlags: OptionSet, @unchecked Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Certificates that have expired are no reason, but for the root.
    public static var allowExpired: SecTrustOptionFlags { .init(rawValue: 1) }
    /// The certificate that is judged may be an authority's, which no policy here forbids.
    public static var leafIsCA: SecTrustOptionFlags { .init(rawValue: 2) }
    /// Issuers that lack are asked for, unless ``SecTrustSetNetworkFetchAllowed(_:_:)`` says no.
    public static var fetchIssuerFromNet: SecTrustOptionFlags { .init(rawValue: 4) }
    /// A root that has expired is no reason.
    public static var allowExpiredRoot: SecTrustOptionFlags { .init(rawValue: 8) }
    /// Somebody has to say of each certificate below the anchor that it was not revoked.
    public static var requireRevPerCert: SecTrustOptionFlags { .init(rawValue: 16) }
    /// Settings of trust count, as they do in every evaluation.
    public static var useTrustSettings: SecTrustOptionFlags { .init(rawValue: 32) }
    /// Certificates of the evaluation that signed themselves are anchors.
    public static var implicitAnchors: SecTrustOptionFlags { .init(rawValue: 64) }
}

/// Sets the options of an evaluation, in place of those before.
///
/// - Returns: `errSecParam` for others than there are.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    CallStatus.of("SecTrustSetOptions") { () throws(KeychainError) in
        try TrustCalls.setOptions(UInt64(options.rawValue), of: trustRef)
    }
}

/// Has certificates of file keychains stand between, where they issued what was given.
///
/// - Parameter keychainOrArray: a keychain, an array of such (an empty one for none), or nil for the search list.
/// - Returns: `errSecParam` for anything else.
@discardableResult
public func SecTrustSetKeychains(_ trust: SecTrust, _ keychainOrArray: CFTypeRef?) -> OSStatus {
    CallStatus.of("SecTrustSetKeychains") { () throws(KeychainError) in
        TrustCalls.setKeychains(try KeychainPasswordCalls.keychains(keychainOrArray), of: trust)
    }
}
