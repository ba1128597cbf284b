import Foundation
import GRDBSQLite
import Testing

/// Tests of what the database's columns tell a thief who has no keys (THREAT-MODEL, “database alone”).
@Suite struct DatabaseThiefTests {
    /// All rows of a query, as any tool reads them: blobs as hexadecimal digits.
    private func rows(_ household: Household, _ query: String) throws -> [[String]] {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(household.database, &handle) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try #require(
            sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(handle)))")
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    // SAFETY: the text lives until the next step, and is copied.
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
                })
        }
        return rows
    }

    @Test func changesOfOneProgramCannotBeTold() throws {
        let household = try Household()
        defer { household.dismiss() }
        let probe = try household.probe()
        for account in ["a", "b"] { #expect(try probe.add(account, "s3cret") == 0) }
        for account in ["a", "b"] { #expect(try probe.update(account, "other") == 0) }
        #expect(try probe.delete("b") == 0)
        household.dismiss()
        let columns = try rows(household, "SELECT name, type FROM pragma_table_info('requests')")
        // Somebody who knows the number of a request and its caller finds neither in the rows.
        #expect(!columns.contains { ["caller", "id", "hour"].contains($0[0]) })
        for column in columns where column[1] == "BLOB" {
            let values = try rows(
                household, "SELECT hex(\(column[0])) FROM requests WHERE \(column[0]) IS NOT NULL"
            ).map { $0[0] }
            #expect(values.count == Set(values).count, "\(column[0]) has a value twice")
            // No parts of values repeat either, since a common beginning would link rows too.
            let halves = values.flatMap { value in
                stride(from: 0, to: value.count - 15, by: 16).map { String(value.dropFirst($0).prefix(16)) }
            }
            #expect(halves.count == Set(halves).count, "\(column[0]) has a part twice")
        }
        #expect(try rows(household, "SELECT count(*) FROM requests") == [["5"]])
    }

    @Test func lengthsAreToldInSteps() throws {
        let household = try Household()
        defer { household.dismiss() }
        let probe = try household.probe()
        for (account, length) in [("a", 17), ("b", 31), ("c", 40)] {
            #expect(try probe.add(account, String(repeating: "x", count: length)) == 0)
        }
        household.dismiss()
        let lengths = try rows(household, "SELECT length(secret), length(metadata) FROM items ORDER BY row")
        try #require(lengths.count == 3)
        #expect(lengths[0] == lengths[1], "secrets of 17 and 31 bytes")
        #expect(lengths[2][0] != lengths[0][0])
        for row in lengths {
            for length in row { #expect((Int(length) ?? 0) % 16 == 28 % 16) }
        }
    }
}
