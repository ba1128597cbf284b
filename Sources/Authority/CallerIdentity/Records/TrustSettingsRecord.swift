import ChatelaineModel

/// Names the file with the person's settings of trust by its content, so that no other file can stand in for it.
struct TrustSettingsRecord: Sendable, Hashable {
    /// SHA-256 of the file.
    let digest: Bytes32
    /// Whether the settings were made with the passcode, or before there was one.
    ///
    /// Settings of trust always widen access.
    var isConfirmed = true

    /// Replaces a record that was lost: no file has this digest, and it is never confirmed.
    static let lost = Bytes32([UInt8](repeating: 0, count: 32)).map { Self(digest: $0, isConfirmed: false) }
}

/// What the ledger records about the person's settings of trust.
package enum TrustStanding: Sendable, Hashable {
    /// There are no settings.
    case none
    /// The settings are in the file with this digest.
    case file(Bytes32)
    /// There may be settings: the list is not the one that was signed last, or its record of them was not signed.
    case unknown
}
