import ChatelaineModel

/// Which file has the person's settings of trust. It is named by its content, so that no other one can stand in for it.
struct TrustSettingsRecord: Sendable, Hashable {
    /// SHA-256 of the file.
    let digest: Bytes32
    /// Whether they were made while the passcode was given, or before there was one: settings of trust always widen access.
    var isConfirmed = true

    /// In the place of a record that is gone: it is no file's, and is never confirmed.
    static let lost = Bytes32([UInt8](repeating: 0, count: 32)).map { Self(digest: $0, isConfirmed: false) }
}

/// What the list of programs says of the person's settings of trust.
package enum TrustStanding: Sendable, Hashable {
    /// There are none.
    case none
    /// They are in the file with this digest.
    case file(Bytes32)
    /// There may be some: the list is not the one that was signed last, or what it says of them was not signed.
    case unknown
}
