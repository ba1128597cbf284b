import ChatelaineModel
import Testing

@testable import StoreEngine

/// A recovery holds few rows at a time if they are large, and no batch changes what it finds.
@Suite struct RowBatchTests {
    private static let large = 1_500_000

    @Test func largeRowsAreHandedOnByBytes() throws {
        let notes = try NoteStore()
        try notes.write(0..<10, to: notes.open())
        for number in 0..<8 { try notes.lengthen(number, to: Self.large) }
        let store = try notes.open(isDamaged: true)
        var steps = 0
        while try store.continueRecovery() { steps += 1 }
        #expect(steps >= 4)
        #expect(notes.kind.heldBytes.value <= RowBatch.maximumBytes)
        for number in 0..<8 { #expect(try notes.text(of: number, in: store)?.utf8.count == Self.large) }
        #expect(try notes.count(in: store) == 10)
    }

    @Test func aSnapshotsRowsAreHandedOnByBytes() throws {
        let notes = try NoteStore()
        try notes.write(0..<10, to: notes.open())
        for number in 0..<8 { try notes.lengthen(number, to: Self.large) }
        _ = try notes.open().takeSnapshot(.request)
        for page in try notes.pages(of: "notes") { try notes.garblePage(page) }
        let store = try notes.open(isDamaged: true)
        while try store.continueRecovery() {}
        #expect(notes.kind.heldBytes.value <= RowBatch.maximumBytes)
        for number in 0..<8 { #expect(try notes.text(of: number, in: store)?.utf8.count == Self.large) }
    }

    /// The versions of a row that a look-up brings do not fit into one batch.
    @Test func theNewestOfLargeVersionsIsBrought() throws {
        let notes = try NoteStore()
        try notes.write(0..<3, to: notes.open())
        let identifier = try notes.lengthen(1, to: 3_000_000)
        try notes.execute("DROP INDEX notes_id; DROP INDEX notes_title")
        for (version, length) in [(3, 2_900_000), (2, 2_800_000)] {
            let body = notes.body([UInt8](repeating: 122, count: length), for: identifier)
            try notes.execute(
                "INSERT INTO notes SELECT NULL, id, \(version), changed, title, \(body) FROM notes WHERE number = 2")
        }
        let store = try notes.open(isDamaged: true)
        #expect(try notes.text(of: 1, in: store)?.utf8.count == 2_900_000)
        while try store.continueRecovery() {}
        #expect(try notes.text(of: 1, in: store)?.utf8.count == 2_900_000)
        #expect(try notes.count(in: store) == 3)
    }
}
