import GRDBSQLite
import Glibc

@testable import StoreEngine

/// A change by an attacker to a store's mark, or to its database on an unrestricted connection.
struct StoreChange {
    private enum Value {
        case number(Int64)
        case bytes([UInt8])
        case null
        /// Bytes for the mark, from an offset on; nil removes the mark.
        case mark(Int, [UInt8]?)
    }

    private let sql: String
    private let value: Value

    /// Every column of every table that a store reads; the rows are ordered by the first column.
    static let tables: [(name: String, columns: [String])] = [
        (
            "items",
            [
                "row", "uuid", "class", "pdmn", "sync", "tomb", "version", "sequence", "group_digest", "unique_digest",
                "pair", "owner", "place", "label", "tag", "metadata_key", "metadata", "class_key", "row_key", "secret",
            ]
        ),
        ("store", ["id", "uuid", "keybag", "sequence", "snapshot_sequence", "snapshot_hour", "hour", "head"]),
        ("requests", ["slot", "name", "digest", "status", "item"]),
        ("quarantine", ["entry", "reason", "hour", "uuid", "class", "version", "sequence", "metadata_key", "secret"]),
        ("losses", ["entry", "hour", "marked", "found"]),
        (
            "recoveries",
            [
                "entry", "started", "finished", "base", "damaged", "snapshot", "is_complete", "phase", "position",
                "salvaged", "restored", "set_aside", "lost",
            ]
        ),
        ("brought", ["uuid"]),
    ]

    /// Boundary values; an input has their index.
    static let numbers: [Int64] = [
        .max, .min, 0, -1, 1, 1 << 62, 1 << 62 + 1, Int64(UInt32.max), 1 << 32, 1 << 31, 255, 256, 4096, .max - 1,
    ]

    init(_ intake: inout Intake) {
        let (table, columns) = Self.tables[intake.number(below: Self.tables.count)]
        let column = columns[intake.number(below: columns.count)]
        let place = intake.number(below: 8)
        switch intake.number(below: 8) {
        case 0, 1: value = .number(Self.numbers[intake.number(below: Self.numbers.count)])
        case 2: value = .number(Int64(bitPattern: intake.word()))
        case 3: value = .bytes([UInt8](intake.piece()))
        case 4: value = .null
        case 5:
            // The value of another row.
            let other = intake.number(below: 8)
            sql =
                "UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) ORDER BY 1 LIMIT 1 OFFSET \(other)) "
                + Self.row(columns[0], of: table, place)
            value = .null
            return
        case 6:
            sql = "DELETE FROM \(table) " + Self.row(columns[0], of: table, place)
            value = .null
            return
        default:
            let settings = [
                "PRAGMA user_version = ", "PRAGMA application_id = ", "PRAGMA auto_vacuum = ",
                "DROP INDEX items_pair --", "CREATE TABLE other (a) --", "CREATE VIEW other AS SELECT 1 --",
                "CREATE TRIGGER other AFTER UPDATE ON items BEGIN DELETE FROM items; END --",
                "CREATE INDEX other ON items (version) --",
            ]
            let setting = intake.number(below: settings.count + 1)
            guard setting < settings.count else {
                let place = intake.number(below: HighWaterMark.slotCount * HighWaterMark.slotByteCount)
                value = .mark(place, intake.flag() ? [UInt8](intake.piece()) : nil)
                sql = ""
                return
            }
            sql = settings[setting] + "\(intake.byte())"
            value = .null
            return
        }
        sql = "UPDATE \(table) SET \(column) = ?1 " + Self.row(columns[0], of: table, place)
    }

    private static func row(_ first: String, of table: String, _ place: Int) -> String {
        "WHERE \(first) = (SELECT \(first) FROM \(table) ORDER BY \(first) LIMIT 1 OFFSET \(place))"
    }

    /// Makes the change, unless SQLite refuses it.
    func carryOut(on folder: String) {
        if case .mark(let place, let bytes) = value {
            let mark = StorePlaces(store: folder).mark
            if let bytes { FuzzFolder.overwrite(mark, at: place, with: bytes) } else { unlink(mark) }
            return
        }
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open(folder + "/" + StoreFiles.database, &handle) == SQLITE_OK else { return }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        // SAFETY: SQLite copies the text, and the bytes live until the statement is finalized.
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return }
        switch value {
        case .number(let number): sqlite3_bind_int64(statement, 1, number)
        case .bytes(let bytes):
            bytes.withUnsafeBytes { bytes in
                _ = sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil)
                _ = sqlite3_step(statement)
            }
        case .null, .mark: break
        }
        if case .bytes = value { return }
        sqlite3_step(statement)
    }
}
