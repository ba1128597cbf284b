/// What an evaluation passes over, or asks for besides its policies (`SecTrustOptionFlags`). The numbers are Apple's, and on the wire.
package struct TrustOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Certificates that have expired, but for the root.
    package static let allowExpired = Self(rawValue: 1)
    /// Nothing here refuses an authority as the certificate that is judged.
    package static let leafIsAuthority = Self(rawValue: 2)
    /// Issuers that lack are asked for, whatever the policies are.
    package static let fetchIssuers = Self(rawValue: 4)
    /// A root that has expired.
    package static let allowExpiredRoot = Self(rawValue: 8)
    /// Somebody says of each certificate below the anchor that it was not revoked.
    package static let requireRevocationOfEach = Self(rawValue: 16)
    /// Settings count here in any case.
    package static let useSettings = Self(rawValue: 32)
    /// Certificates of the question that signed themselves are anchors.
    package static let implicitAnchors = Self(rawValue: 64)

    package static let all: Self = [
        .allowExpired, .leafIsAuthority, .fetchIssuers, .allowExpiredRoot, .requireRevocationOfEach, .useSettings,
        .implicitAnchors,
    ]
}
