/// What an evaluation ignores, or demands beyond its policies (`SecTrustOptionFlags`).
///
/// The numbers are Apple's, and on the wire.
package struct TrustOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Ignores that certificates other than the root have expired.
    package static let allowExpired = Self(rawValue: 1)
    /// Allows an authority as the first certificate; no evaluation here refuses one anyway.
    package static let leafIsAuthority = Self(rawValue: 2)
    /// Fetches missing issuers, whatever the policies are.
    package static let fetchIssuers = Self(rawValue: 4)
    /// Ignores that the root has expired.
    package static let allowExpiredRoot = Self(rawValue: 8)
    /// Demands proof that no certificate below the anchor was revoked.
    package static let requireRevocationOfEach = Self(rawValue: 16)
    /// Uses settings; evaluations here always do.
    package static let useSettings = Self(rawValue: 32)
    /// Takes self-signed certificates of the question as anchors.
    package static let implicitAnchors = Self(rawValue: 64)

    package static let all: Self = [
        .allowExpired, .leafIsAuthority, .fetchIssuers, .allowExpiredRoot, .requireRevocationOfEach, .useSettings,
        .implicitAnchors,
    ]
}
