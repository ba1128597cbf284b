import GRDB
import Glibc
import ItemStore

/// Stores as earlier formats had them, with the rows of a present one.
package enum FormerStore {
    /// Puts a database of an earlier format into the place of one of ours, which nothing has open. Answers to requests stay
    /// behind, since they are what formats have in different columns.
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
