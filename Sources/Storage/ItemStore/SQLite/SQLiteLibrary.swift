import CSQLiteSettings
import ChatelaineModel
import GRDBSQLite

/// SQLite as a library of this process, set up once, before the first database opens.
enum SQLiteLibrary {
    // A constant: whoever comes first has it made, and the others wait for that.
    private static let outcome = chatelaine_sqlite_open_carefully()

    /// Throws `errSecInternalComponent` where the library cannot be told how to open files.
    static func prepare() throws(KeychainError) {
        guard outcome == SQLITE_OK else { throw KeychainError(sqlite: outcome, on: nil, "setting up SQLite") }
    }
}
