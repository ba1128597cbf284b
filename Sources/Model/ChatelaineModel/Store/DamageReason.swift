/// Why a row counts as damaged. The numbers are in files and on the wire, and never change meaning.
package enum DamageReason: UInt8, Sendable, CaseIterable {
    /// A cleartext column has an impossible value.
    case columns = 1
    /// The keybag has no metadata key of this number.
    case unknownKey = 2
    /// The sealed attributes do not open in their place, or are not attributes.
    case metadata = 3
    /// The attributes do not match the digest by which the row was found.
    case digest = 4
    /// The row key does not open in its place.
    case rowKey = 5
    /// The secret does not open in its place, or is missing although the attributes tell of one.
    case secret = 6
    /// The row opens, but a newer row has the same unique attributes; found while rows are salvaged.
    case superseded = 7
}

extension DamageReason {
    /// The word in lists for programs (`Documentation/formats/item-store.md`); it never changes.
    package var word: String {
        switch self {
        case .columns: "columns"
        case .unknownKey: "unknownKey"
        case .metadata: "metadata"
        case .digest: "digest"
        case .rowKey: "rowKey"
        case .secret: "secret"
        case .superseded: "superseded"
        }
    }
}

/// What a check did with a damaged row. The numbers are on the wire and never change meaning.
package enum CheckOutcome: UInt8, Sendable, CaseIterable {
    /// The row is in the quarantine.
    case setAside = 1
    /// The row is in the quarantine, and a row from a snapshot took its place.
    case replaced = 2
    /// The digests of the row were written anew; nothing is lost.
    case mended = 3
    /// The row stayed where it was, since nothing could be written.
    case left = 4
}
