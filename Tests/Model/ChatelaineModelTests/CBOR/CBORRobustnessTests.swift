import ChatelaineMemory
import ChatelaineModel
import TestSupport
import Testing

/// Tests with input that is cut anywhere, damaged or random.
///
/// Readers report an error and never read beyond the input.
struct CBORRobustnessTests {
    static let sample = CBORTree.map(
        [.unsigned(0), .unsigned(24), .bytes([1, 2]), .text("ab")],
        [
            .array([.null, .bool(true), .double((1.5).bitPattern), .negative(-1000)]), .text("größe"),
            .map([.unsigned(1)], [.bytes(Array(repeating: 7, count: 30))]), .unsigned(.max),
        ])

    @Test func everyTruncationIsNoticed() throws {
        let memory = try GuardedBytes()
        for whole in [Self.sample.encoding, Samples.query.encoding, Samples.found.encoding, Samples.change.encoding] {
            for length in 0..<whole.count {
                _ = memory.with(Array(whole.prefix(length))) { input in
                    #expect(throws: CBORError.truncated, "\(length) of \(whole.count)") {
                        try CBORTree.reading(input)
                    }
                }
            }
        }
    }

    @Test func whatIsAcceptedIsCanonical() throws {
        var generator = SeededGenerator()
        let memory = try GuardedBytes()
        let seeds = [Self.sample.encoding, Samples.query.encoding, Samples.found.encoding] + Samples.vectors
        var accepted = 0
        for round in 0..<100_000 {
            let input =
                round % 4 == 0
                ? generator.bytes(upTo: 48) : generator.damaged(seeds.randomElement(using: &generator) ?? [])
            let result = memory.with(input) { input in
                Result { () throws(CBORError) in try CBORTree.reading(input) }
            }
            if case .success(let tree) = result {
                accepted += 1
                guard tree.encoding == input else {
                    Issue.record("seed \(generator.seed), round \(round): \(input) came back as \(tree.encoding)")
                    return
                }
            }
        }
        #expect(accepted > 1000, "the mutations leave too little intact to mean anything")
    }

    @Test func messagesOfDamagedItemsAreRefusedOrCanonical() throws {
        var generator = SeededGenerator()
        let memory = try GuardedBytes()
        let query = Samples.query.encoding
        let change = Samples.change.encoding
        let found = Samples.found.encoding
        for _ in 0..<30_000 {
            memory.with(generator.damaged(found)) { input in
                var reader = CBORReader(input)
                guard let item = try? FoundItem(from: &reader), (try? reader.finish()) != nil else { return }
                #expect(item.encoding.count <= input.count, "seed \(generator.seed)")
            }
            memory.with(generator.damaged(query)) { input in
                var reader = CBORReader(input)
                guard let read = try? ItemQuery(from: &reader) else { return }
                for operation in [SearchOperation.find, .update, .delete] { try? read.validate(for: operation) }
            }
            memory.with(generator.damaged(change)) { input in
                var reader = CBORReader(input)
                guard let read = try? ItemChange(from: &reader) else { return }
                for itemClass in ItemClass.allCases { try? read.validate(for: itemClass) }
            }
        }
    }
}
