import TestSupport
import Testing

@testable import ChatelaineModel

/// Tests of the one encoding of an access object, and of its limits (Documentation/formats/access-objects.md).
@Suite struct AccessObjectEncodingTests {
    private static func decoded(_ bytes: [UInt8]) throws -> AccessObject {
        try bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let object = try AccessObject(from: &reader)
            try reader.finish()
            return object
        }
    }

    @Test func roundTrip() throws {
        for object in AccessSamples.everyForm {
            try object.validate()
            #expect(try object.rewritten() == object)
        }
        #expect(Set(AccessSamples.everyForm.map(\.encoding)).count == AccessSamples.everyForm.count)
        var generator = SeededGenerator()
        for _ in 0..<2000 {
            let object = AccessSamples.object(using: &generator)
            #expect(try object.rewritten() == object, "seed \(generator.seed)")
        }
    }

    /// Files contain these bytes, so they must not change.
    @Test func theEncodingOfADefaultAccessStays() {
        let access = AccessObject.default(descriptor: "x", trusted: [AccessSamples.git.known])
            .partitioned(PartitionList([.apple]))
        #expect(
            Hexadecimal.text(of: access.encoding)
                == "a3010102a201811a00010000028303a1016178800383a201811823028101a201861818181c18251826183b1873"
                + "028303a101617881a301820171706174683a2f7573722f62696e2f676974026466696c65036c2f7573722f62696e2f676974"
                + "a201811a0001000202820481666170706c653a")
    }

    /// Authenticated bytes must have only one reading.
    @Test func whatIsReadHasOneEncoding() throws {
        for object in AccessSamples.everyForm {
            let bytes = object.encoding
            for index in bytes.indices {
                for bit in 0..<8 {
                    var other = bytes
                    other[index] ^= 1 << bit
                    guard let read = try? Self.decoded(other) else { continue }
                    #expect(read.encoding == other && read != object)
                }
                #expect(throws: CBORError.self) { try Self.decoded(Array(bytes[..<index])) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.decoded(bytes + [0]) }
        }
    }

    @Test func damagedObjectsAreRefusedOrCanonical() throws {
        var generator = SeededGenerator()
        let memory = try GuardedBytes()
        let seeds = AccessSamples.everyForm.map(\.encoding)
        for _ in 0..<30_000 {
            let input = generator.damaged(seeds.randomElement(using: &generator) ?? [])
            memory.with(input) { bytes in
                var reader = CBORReader(bytes)
                guard let read = try? AccessObject(from: &reader), reader.isAtEnd else { return }
                #expect(read.encoding.elementsEqual(bytes), "seed \(generator.seed)")
            }
        }
    }

    @Test func anotherVersionIsRefused() throws {
        var bytes = AccessObject.open.encoding
        #expect(bytes[2] == 1)
        bytes[2] = 2
        #expect(throws: CBORError.unsupported) { try Self.decoded(bytes) }
    }

    // MARK: Limits

    @Test func tenThousandApplicationsWork() throws {
        var access = AccessObject.default(
            descriptor: "the item",
            trusted: (0..<10_000).map { number in
                var bytes = [UInt8](repeating: 0, count: 32)
                (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
                let digest = ExecutableDigest(bytes) ?? AccessSamples.digest(0)
                return TrustedApplication(
                    .digest(digest), .file, at: ExactText("/home/ada/a folder of some length/programs/number-\(number)")
                )
            })
        try access.validate()
        #expect(try access.rewritten() == access)
        try access.add(AccessSamples.git.known, to: .decrypt)
        #expect(ACLEvaluation.decide(access, right: .decrypt, caller: AccessSamples.git, ui: false) == .allowed)
    }

    struct Excess: CustomTestStringConvertible {
        let testDescription: String
        /// Makes an object with the given amount.
        let object: @Sendable (Int) -> AccessObject
        let limit: Int
    }

    static let excesses: [Excess] = [
        Excess(
            testDescription: "entries",
            object: { count in
                AccessObject(
                    owner: ACLEntry([], .any), entries: Array(repeating: ACLEntry([.sign], .any), count: count))
            }, limit: ACLLimits.entries),
        Excess(
            testDescription: "applications",
            object: { count in
                .default(descriptor: "", trusted: Array(repeating: AccessSamples.git.known, count: count))
            }, limit: ACLLimits.applications),
        Excess(
            testDescription: "rights",
            object: { count in
                .init(
                    owner: ACLEntry(Set((0..<count).map { ACLAuthorization(rawValue: Int32($0)) }), .any), entries: [])
            }, limit: ACLLimits.authorizations),
        Excess(
            testDescription: "bytes of a description",
            object: { .default(descriptor: String(repeating: "x", count: $0), trusted: []) },
            limit: ACLLimits.descriptionBytes),
        Excess(
            testDescription: "bytes of a path",
            object: { count in
                let path = ExactText("/" + String(repeating: "x", count: count - 1))
                return .default(descriptor: "", trusted: [AccessSamples.git.at(path).known])
            }, limit: ACLLimits.pathBytes),
        Excess(
            testDescription: "partitions",
            object: { count in
                AccessObject.open.partitioned(PartitionList((0..<count).compactMap { PartitionID("\($0)") }))
            }, limit: ACLLimits.partitions),
        Excess(
            testDescription: "bytes of a digest",
            object: { count in
                let digest = ACLSubject.integrity([UInt8](repeating: 1, count: count))
                return AccessObject(owner: ACLEntry([], .any), entries: [ACLEntry([.integrity], digest)])
            }, limit: ACLLimits.integrityBytes),
        Excess(
            testDescription: "bytes of an unknown entry",
            object: { AccessSamples.reading(.custom([UInt8](repeating: 1, count: $0))) },
            limit: ACLLimits.customBytes),
    ]

    @Test(arguments: excesses)
    func whatIsBeyondALimitIsRefused(excess: Excess) throws {
        let most = excess.object(excess.limit)
        try most.validate()
        #expect(try most.rewritten() == most)
        let more = excess.object(excess.limit + 1)
        #expect(throws: KeychainError(.dataTooLarge, "")) { try more.validate() }
        #expect(throws: CBORError.self) { try more.rewritten() }
    }

    @Test func theWholeIsBoundedToo() throws {
        let path = ExactText("/" + String(repeating: "x", count: 4000))
        let listed = AccessSamples.git.at(path).known
        let access = AccessObject.default(descriptor: "", trusted: Array(repeating: listed, count: 1100))
        #expect(throws: KeychainError(.dataTooLarge, "")) { try access.validate() }
        #expect(throws: CBORError.limitExceeded) { try access.rewritten() }
    }

    /// E.5: there is at most one partition entry.
    @Test func contradictionsAreRefused() throws {
        let list = ACLEntry([.partitionID], .partition(PartitionList([.apple])))
        let digest = ACLEntry([.integrity], .integrity([1]))
        let both = [list, ACLEntry([.partitionID, .decrypt], list.subject), ACLEntry([.any], digest.subject)]
        let rights = [ACLEntry([.partitionID], .any), ACLEntry([.decrypt, .integrity], AccessSamples.list())]
        for entries in [[list, list]] + (both.dropFirst() + rights).map({ [$0] }) {
            let access = AccessObject(owner: ACLEntry([], .any), entries: entries)
            #expect(throws: KeychainError(.invalidACL, "")) { try access.validate() }
            #expect(throws: CBORError.outOfRange) { try access.rewritten() }
        }
        let owner = AccessObject(owner: list, entries: [])
        #expect(throws: KeychainError(.invalidACL, "")) { try owner.validate() }
    }
}
