import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import TestSupport
import Testing

/// Tests of the encodings of all requests and replies.
struct RequestTests {
    static func encoding(_ request: any RequestMessage) -> [UInt8] {
        HandshakeTests.encoded { request.encode(to: &$0) }
    }

    static func decoding(_ bytes: [UInt8]) throws -> any RequestMessage {
        try bytes.withUnsafeBytes { try RequestReader($0).readAny() }
    }

    @Test func allComeBack() throws {
        for request in Self.requests {
            let bytes = Self.encoding(request)
            #expect(try Self.encoding(Self.decoding(bytes)) == bytes)
            for length in 0..<bytes.count {
                #expect(throws: CBORError.self, "\(length)") { try Self.decoding(Array(bytes.prefix(length))) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.decoding(bytes + [0xF6]) }
        }
    }

    @Test(arguments: [
        // No operation, an unknown one, a field too few or too many, or an unknown field.
        [0xA0], [0xA1, 0x00, 0x05], [0xA1, 0x00, 0x00], [0xA1, 0x00, 0x01], [0xA1, 0x00, 0x12],
        [0xA2, 0x00, 0x10, 0x04, 0x60], [0xA2, 0x00, 0x11, 0x04, 0x61, 0x2F], [0xA2, 0x00, 0x10, 0x05, 0x00],
        [0xA2, 0x00, 0x12, 0x04, 0x41, 0x2F], [0xA2, 0x00, 0x18, 0x20, 0x06, 0x00],
        [0xA2, 0x00, 0x18, 0x22, 0x04, 0x60], [0xA3, 0x00, 0x18, 0x22, 0x05, 0x60, 0x06, 0x00],
        [0xA1, 0x00, 0x18, 0x25], [0x80], [0xF6], [0xA2, 0x00, 0x10, 0x00, 0x10],
    ])
    func broken(_ bytes: [UInt8]) { #expect(throws: CBORError.self) { try Self.decoding(bytes) } }

    @Test func addNeedsAnIdentifierAndFindHasNone() {
        let query = HandshakeTests.encoded { Self.query.encode(to: &$0) }
        let item = HandshakeTests.encoded { Self.item.encode(to: &$0) }
        let identifier: [UInt8] = [0x01, 0x50] + [UInt8](repeating: 1, count: 16)
        #expect(throws: Never.self) { try Self.decoding([0xA2, 0x00, 0x01, 0x02] + query) }
        #expect(throws: CBORError.self) { try Self.decoding([0xA2, 0x00, 0x02, 0x02] + item) }
        #expect(throws: CBORError.self) { try Self.decoding([0xA3, 0x00, 0x01] + identifier + [0x02] + query) }
        #expect(throws: Never.self) { try Self.decoding([0xA3, 0x00, 0x02] + identifier + [0x02] + item) }
        // A search does not decode as an item.
        #expect(throws: CBORError.self) { try Self.decoding([0xA3, 0x00, 0x02] + identifier + [0x02] + query) }
        #expect(throws: CBORError.self) { try Self.decoding([0xA3, 0x00, 0x03] + identifier + [0x02] + query) }
        #expect(throws: Never.self) {
            try Self.decoding([0xA4, 0x00, 0x03] + identifier + [0x02] + query + [0x03, 0xA0])
        }
    }

    @Test func damagedRequests() {
        var generator = SeededGenerator()
        let seeds = Self.requests.map { Self.encoding($0) }
        for round in 0..<30_000 {
            let input = round % 5 == 0 ? generator.bytes(upTo: 40) : generator.damaged(seeds[round % seeds.count])
            guard let request = try? Self.decoding(input) else { continue }
            let again = Self.encoding(request)
            #expect((try? Self.decoding(again)).map { Self.encoding($0) } == again, "seed \(generator.seed)")
        }
    }
}
