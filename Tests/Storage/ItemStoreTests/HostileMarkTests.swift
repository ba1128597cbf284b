import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// An intact store opens with all of its items, whatever bytes the mark and the head record hold.
struct HostileMarkTests {
    private static let rounds = 400
    let fixture = StoreFixture()

    private func mutated(_ bytes: [UInt8], _ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        var bytes = bytes
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes = []
        case 1: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        case 2: bytes += (0..<Int.random(in: 1...2000, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        case 3: bytes = (0..<bytes.count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        case 4 where bytes.count >= 1024: bytes = Array(bytes[512..<1024]) + Array(bytes[..<512])
        case 5 where bytes.count >= 128:
            // Sets a number in either slot to its maximum.
            let start = [56, 64, 72, 80].randomElement(using: &random) ?? 56
            let slot = bytes.count >= 1024 && Bool.random(using: &random) ? 512 : 0
            for index in 0..<8 { bytes[slot + start + index] = 0xFF }
        default:
            for _ in 0..<Int.random(in: 1...16, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
        }
        return bytes
    }

    @Test func anIntactStoreOpens() throws {
        try fixture.fill(0..<5)
        var random = SystemRandomNumberGenerator()
        let sequences: [Int64] = [0, 1, 4, 5, 6, 7, 1 << 32, 1 << 48, 1 << 48 + 1, 1 << 61, 1 << 62]
        for round in 0..<Self.rounds {
            if round % 3 != 1 {
                let mark = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.mark)))
                // The file is changed in place, so that it keeps its permissions.
                let file = try #require(FileHandle(forUpdatingAtPath: fixture.mark))
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: Data(mutated(mark, &random)))
                try file.close()
            }
            if round % 3 != 0 {
                var head: [UInt8] = []
                let reader = try ReadConnection(reading: fixture.database)
                let statement = try PreparedStatement(reader.handle, EngineStatement.head.sql(for: ItemColumn.layout))
                if try statement.step() { head = statement.bytes(1) }
                statement.reset()
                let literal =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? "NULL" : "X'\(Hexadecimal.text(of: mutated(head, &random)))'"
                let sequence = sequences.randomElement(using: &random) ?? 0
                let number = round % 2 == 0 ? ", sequence = \(sequence)" : ""
                try fixture.write("UPDATE store SET head = \(literal)\(number)")
            }
            let store = try fixture.open()
            #expect(try store.integer("SELECT count(*) FROM items") == 5)
            #expect(try store.sequence() < 1 << 52)
            if round % 100 == 0 {
                #expect(try fixture.accounts(store) == Set(0..<5))
                #expect(try store.verifyRows().isEmpty)
            }
        }
        // Wherever somebody has pushed its numbers, its snapshots can be read.
        let store = try fixture.open()
        let snapshot = try store.takeSnapshot(.request)
        #expect(snapshot.sequence <= HighWaterMark.highestClaim && snapshot.items == 5)
        // A user reads the reports and goes on.
        #expect(try fixture.open().acknowledgeLosses() != nil)
        #expect(try fixture.open().losses().isEmpty)
    }
}
