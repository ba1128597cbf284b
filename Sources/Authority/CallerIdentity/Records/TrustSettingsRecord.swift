import ChatelaineModel

/// Which file has the person's settings of trust. It is named by its content, so that no other one can stand in for it.
struct TrustSettingsRecord: Sendable, Hashable {
    /// SHA-256 of the file.
    let digest: Bytes32
    /// Whether they were made while the passcode was given, or before there was one: settings of trust always widen access.
    var isConfirmed = true
}
