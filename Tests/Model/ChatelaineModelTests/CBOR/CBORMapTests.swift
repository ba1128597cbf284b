import ChatelaineModel
import Testing

/// Tests of maps by their fields: written fields are read, and nothing else is.
struct CBORMapTests {
    private enum Field: UInt64, CBORField {
        case first = 0
        case second = 1
        case third = 2
        case last = 22
    }

    private struct Message: CBORValue, Equatable {
        var first: UInt64
        var second: String?
        var third: [Bytes16] = []
        var last: [UInt8]?

        init(first: UInt64, second: String? = nil, third: [Bytes16] = [], last: [UInt8]? = nil) {
            self.first = first
            self.second = second
            self.third = third
            self.last = last
        }

        func encode(to writer: inout CBORWriter) {
            writer.writeMap {
                $0.write(Field.first, first)
                $0.write(Field.second, second)
                $0.writeArray(Field.third, third)
                $0.write(Field.last, last)
            }
        }

        init(from reader: inout CBORReader) throws(CBORError) {
            var map = try CBORMap(reader)
            first = try map.read(Field.first)
            second = try map.readIfPresent(Field.second)
            third = try map.readArray(Field.third, limit: 2)
            last = try map.readIfPresent(Field.last)
            reader = try map.end()
        }
    }

    private static func read(_ digits: String) throws -> Message {
        try bytes(digits).withUnsafeBytes { input in
            var reader = CBORReader(input)
            let message = try Message(from: &reader)
            try reader.finish()
            return message
        }
    }

    private static func encoded(_ message: Message) -> [UInt8] {
        var writer = CBORWriter()
        message.encode(to: &writer)
        return writer.finishArray()
    }

    @Test(arguments: [
        ("a2 00 07 02 80", Message(first: 7)),
        ("a3 00 00 01 6161 02 80", Message(first: 0, second: "a")),
        ("a3 00 00 02 80 16 41ff", Message(first: 0, last: [0xFF])),
        (
            "a4 00 1864 01 60 02 81 50" + String(repeating: "09", count: 16) + "16 40",
            Message(first: 100, second: "", third: [Bytes16(repeating: 9)], last: [])
        ),
    ])
    private func writtenAsRead(_ digits: String, _ message: Message) throws {
        #expect(Self.encoded(message) == bytes(digits))
        #expect(try Self.read(digits) == message)
    }

    @Test(arguments: [
        // A required field is missing, comes before another, or comes twice.
        ("a0", CBORError.missingField), ("a1 00 07", .missingField), ("a1 02 80", .missingField),
        ("a2 02 80 00 07", .missingField), ("a3 00 07 00 07 02 80", .missingField),
        ("a3 00 07 02 80 02 80", .unsupported), ("a3 00 07 02 80 01 6161", .unsupported),
        // An unknown field stands at the end, between others, or is text.
        ("a3 00 07 02 80 17 00", .unsupported), ("a3 00 07 02 80 03 00", .unsupported),
        ("a3 00 07 01 05 02 80", .unexpectedType), ("a3 00 07 02 80 6161 00", .unexpectedType),
        // A value has another type, there are too many values, or the map has more fields than any message.
        ("a2 00 60 02 80", .unexpectedType), ("a2 00 07 02 83 00 00 00", .limitExceeded), ("b818", .limitExceeded),
        ("80", .unexpectedType), ("a2 00 07", .truncated), ("a2 00 07 02 80 00", .trailingBytes),
    ])
    func refused(_ digits: String, _ error: CBORError) { #expect(throws: error) { try Self.read(digits) } }

    @Test func mapsInMapsAreCountedEachForItself() throws {
        var writer = CBORWriter()
        writer.writeMap {
            $0.write(Field.first, Message(first: 1, second: "a"))
            $0.begin(Field.second)
            $0.writeMap { _ in }
            $0.write(Field.third, Message(first: 2))
        }
        #expect(writer.finishArray() == bytes("a3 00 a3 00 01 01 6161 02 80 01 a0 02 a2 00 02 02 80"))
    }

    @Test func aMessageInLentMemoryIsTheSame() {
        let message = Message(first: 300, second: "text", last: [UInt8](repeating: 1, count: 40))
        for room in [1, 8, 60, 200] {
            withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { memory in
                var writer = CBORWriter(lent: memory)
                message.encode(to: &writer)
                #expect(writer.finishArray() == Self.encoded(message))
            }
        }
    }
}
