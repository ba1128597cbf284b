import GRDB
import Glibc
import ItemStore

/// Makes stores of earlier formats with the rows of a present store.
package enum FormerStore {
    /// Replaces a present database, which no process has open, with one of an earlier format.
    ///
    /// The answers to requests are not copied, since formats have them in different columns.
    package static func make(_ path: String, version: Int) throws {
        let former = path + ".former"
        let queue = try DatabaseQueue(path: former)
        try StoreSchema.migrator.migrate(queue, upTo: "\(version)")
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH ? AS present", arguments: [path])
            let tables = try String.fetchAll(database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table'")
            for table in tables where !["grdb_migrations", "requests"].contains(table) {
                let columns = try database.columns(in: table, in: "main").map(\.name).joined(separator: ", ")
                try database.execute(
                    sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM present.\(table)")
            }
            try database.execute(sql: "DETACH present")
        }
        try queue.close()
        for end in ["", "-wal", "-shm"] { unlink(path + end) }
        guard chmod(former, 0o600) == 0, rename(former, path) == 0 else { throw NotInPlace() }
    }

    private struct NotInPlace: Error {}
}
