import Foundation
import GRDBSQLite
import Testing

@testable import FileKeychains

/// What users, disks and other programs do to the file of a keychain.
extension KeychainFixture {
    /// Copies the whole fixture in its present state, as a machine finds it that loses power now.
    func copiedAsOfNow() throws -> KeychainFixture {
        let copy = try KeychainFixture()
        try FileManager.default.removeItem(atPath: copy.folder.path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        // `-a` keeps hard links: two names of one file stay two names of one file.
        process.arguments = ["-a", folder.path, copy.folder.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return copy
    }

    /// Writes to the file on a connection of its own, as `sqlite3` would.
    func write(_ sql: String, to name: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(path(name), &handle) == SQLITE_OK)
        let code = sqlite3_exec(handle, sql + "; PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil)
        // SAFETY: the message lives until the next call.
        try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }

    /// Overwrites pages of the file. Pages count from 1.
    func garble(_ pages: ClosedRange<Int>, of name: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path(name)))
        try file.seek(toOffset: UInt64((pages.lowerBound - 1) * Self.pageSize))
        try file.write(contentsOf: Data((0..<pages.count * Self.pageSize).map { UInt8($0 % 251) }))
        try file.close()
    }

    static let pageSize = 4096

    func copy(_ name: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: path(other))
        try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
    }

    /// The logged events as text.
    func said() -> String { events.withLock { $0.map { "\($0)" }.joined(separator: "\n") } }
}

extension KeychainFixture {
    /// The first column of a query's result, from a file that no connection has open.
    func read(_ sql: String, from name: String) throws -> [String] {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        try #require(sqlite3_open_v2("file:\(path(name))?immutable=1", &handle, flags, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        var values: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            // SAFETY: the text lives until the next step.
            values.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return values
    }
}
