/// The reason why a store is made anew from its remains.
package enum RecoveryCause: Sendable {
    /// SQLite finds the database damaged, twice.
    case damaged
    /// The database, or the store's whole folder, is missing or empty.
    case missing
    /// The mark is ahead of the database, and the missing changes still exist.
    ///
    /// They are in the log beyond the point where SQLite stops reading, or in a snapshot that is newer than the
    /// database.
    case behind(marked: UInt64, found: UInt64)
}

extension RecoveryCause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged: "the database is damaged"
        case .missing: "the database is missing or empty"
        case .behind(let marked, let found):
            "acknowledged changes are missing from the database (the mark stands at \(marked), the database at \(found))"
        }
    }
}
