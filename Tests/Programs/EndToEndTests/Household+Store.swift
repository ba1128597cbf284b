import Foundation
import GRDBSQLite
import Testing

/// Changes to the files of a household's store while its daemon does not run.
extension Household {
    var database: String { store + "/items.db" }

    /// Runs SQL on the database and moves the log into it, as a foreign tool would.
    func sql(_ text: String = "") throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(database, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        try #require(
            sqlite3_exec(handle, text + "; PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(handle)))")
    }

    func overwrite(_ path: String, at offset: UInt64, with bytes: Data) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    func truncate(_ path: String, by fraction: Double) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let size = try file.seekToEnd()
        try file.truncate(atOffset: UInt64(Double(size) * fraction))
        try file.close()
    }

    func truncate(_ path: String, to size: Int) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.close()
    }

    func size(_ path: String) throws -> UInt64 {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
    }

    /// Bytes that are no page of a database.
    static let garbage = Data((0..<4096).map { UInt8($0 % 251) })

    /// The names in the folder of stores that were set aside.
    var setAside: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: store + ".quarantine")) ?? []).sorted()
    }

    /// The events in the list of losses.
    func listed() throws -> [String] {
        let text = (try? String(contentsOfFile: store + ".losses.jsonl", encoding: .utf8)) ?? ""
        return try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["event"] as? String)
        }
    }

    /// The daemon's report, once no recovery is under way.
    func settledReport() throws -> [String: Any] {
        let end = Date().addingTimeInterval(30)
        while true {
            let report = try client.status()
            let facts = Dictionary(uniqueKeysWithValues: report.facts.map { ($0.name, $0.value as Any) })
            if report["store.recovery"] == nil { return facts }
            try #require(Date() < end, "the recovery does not come to its end")
            usleep(5_000)
        }
    }
}
