/// Why a row counts as damaged. The numbers are in files and on the wire: they never change meaning.
package enum DamageReason: UInt8, Sendable, CaseIterable {
    /// A column that is in clear holds what it never does.
    case columns = 1
    /// The keybag knows no metadata key of this number.
    case unknownKey = 2
    /// The attributes do not open in their place, or are no attributes.
    case metadata = 3
    /// The attributes are not those by whose digest the row was found.
    case digest = 4
    /// The row key does not open in its place.
    case rowKey = 5
    /// The secret does not open in its place, or is not there although the attributes say so.
    case secret = 6
    /// It opens, but a newer row has what makes it unique; met while rows are salvaged.
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
