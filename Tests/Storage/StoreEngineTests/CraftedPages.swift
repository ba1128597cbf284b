import Foundation
import Testing

@testable import StoreEngine

/// Pages in SQLite's format that no SQLite would write.
enum CraftedPages {
    static let size = DamagedDatabase.defaultPageSize

    static func number(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    static func varint(_ value: Int) -> [UInt8] {
        var bytes = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    /// A cell of a table's leaf that goes on at an overflow page.
    static func cell(row: Int, payloadBytes: Int, local: [UInt8], overflow: UInt32) -> [UInt8] {
        varint(payloadBytes) + varint(row) + local + number(overflow)
    }

    /// A page of cells; each is named as often as `pointers` says.
    static func page(
        _ kind: RawPage.Kind, _ cells: [[UInt8]], pointers: Int = 1, last: UInt32 = 0
    ) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: size)
        let isInterior = kind == .tableInterior || kind == .indexInterior
        let count = cells.count * pointers
        page[0] = kind.rawValue
        (page[3], page[4]) = (UInt8(count >> 8), UInt8(count & 0xFF))
        if isInterior { page.replaceSubrange(8..<12, with: number(last)) }
        var pointer = isInterior ? 12 : 8
        var start = size
        for cell in cells {
            start -= cell.count
            page.replaceSubrange(start..<start + cell.count, with: cell)
            for _ in 0..<pointers {
                (page[pointer], page[pointer + 1]) = (UInt8(start >> 8), UInt8(start & 0xFF))
                pointer += 2
            }
        }
        return page
    }
}

extension NoteStore {
    /// The sealed body of a note, as an SQL literal.
    func body(_ text: [UInt8], for identifier: [UInt8]) -> String {
        "X'" + NoteKind.sealed(text, for: identifier, kind.key).map { String(format: "%02x", $0) }.joined() + "'"
    }

    /// Gives a note that is there a text of some length; answers the note's identifier.
    @discardableResult
    func lengthen(_ number: Int, to bytes: Int) throws -> [UInt8] {
        let identifier = try identifier(of: number)
        let text = [UInt8](repeating: UInt8(97 + number % 26), count: bytes)
        try execute("UPDATE notes SET body = \(body(text, for: identifier)) WHERE number = \(number + 1)")
        return identifier
    }

    func identifier(of number: Int) throws -> [UInt8] {
        let reader = try ReadConnection(reading: database)
        let statement = try PreparedStatement(reader.handle, "SELECT id FROM notes WHERE number = \(number + 1)")
        try #require(try statement.step())
        return statement.bytes(0)
    }

    /// The pages of the database, once its log is in it.
    func readPages() throws -> [[UInt8]] {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: database)))
        return stride(from: 0, to: bytes.count, by: CraftedPages.size).map { Array(bytes[$0..<$0 + CraftedPages.size]) }
    }

    func writePages(_ pages: [[UInt8]]) throws {
        try Data(pages.joined()).write(to: URL(fileURLWithPath: database))
    }

    func damagedDatabase() throws -> DamagedDatabase {
        try #require(try DamagedDatabase(folder: folder, layout: NoteKind.layout))
    }
}
