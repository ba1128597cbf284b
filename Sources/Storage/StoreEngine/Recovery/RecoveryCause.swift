/// Why a store is made anew from what is left of it.
package enum RecoveryCause: Sendable {
    /// SQLite finds the database damaged, twice.
    case damaged
    /// The database, or all of the store's folder, is not there, or is empty.
    case missing
    /// The mark is ahead, and what is missing can be had: from the log behind the place at which SQLite stops, or from a
    /// snapshot that is newer than the database.
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
