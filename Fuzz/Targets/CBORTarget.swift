import ChatelaineModel

/// Checks that each value the reader accepts has one encoding, the bytes read.
///
/// Each method of the reader must return, or throw ``CBORError``.
enum CBORTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var reader = CBORReader(bytes)
        if let encoded = try? reader.readEncoded() {
            precondition(encoded.count == reader.offset, "passed over another value than was lent")
            var copy = CBORWriter(capacity: 16)
            var second = CBORReader(encoded)
            do { try Self.copy(&second, to: &copy) } catch { preconditionFailure("accepted once, then \(error)") }
            precondition(second.isAtEnd, "a value ends at two places")
            copy.withUnsafeBytes { precondition($0.elementsEqual(encoded), "a value with two encodings") }
        }
        for read in readers {
            var reader = CBORReader(bytes)
            do { try read(&reader) } catch { precondition(error is CBORError, "an error of another kind") }
            precondition(reader.offset <= bytes.count, "read beyond the end")
        }
    }

    private static let readers: [@Sendable (inout CBORReader) throws -> Void] = [
        { while !$0.isAtEnd { try $0.skip() } },
        { _ = try $0.readNull() }, { _ = try $0.readBool() }, { _ = try $0.readUnsigned() },
        { _ = try $0.readInteger() }, { _ = try $0.readInt(in: -5...5) }, { _ = try $0.readDouble() },
        { _ = try $0.readArray(count: 16) }, { _ = try $0.readSecret() }, { _ = try $0.readText() },
        { _ = try $0.readBytes16() }, { _ = try ItemIdentifier(from: &$0) }, { _ = try $0.readByte() },
        { _ = try ItemClass(from: &$0) }, { try $0.readArrayHead(of: 2) },
        {
            _ = try $0.readSecret()
            try $0.finish()
        },
    ]

    private static func copy(_ reader: inout CBORReader, to writer: inout CBORWriter) throws {
        switch try reader.peek() {
        case .unsigned: writer.write(try reader.readUnsigned())
        case .negative:
            var number = reader
            if let value = try? number.readInteger() {
                writer.write(value)
                reader = number
            } else {
                // Below the smallest signed number: the reader can skip the value, but not read it.
                writer.appendEncoded(try reader.readEncoded())
            }
        case .bytes: writer.write(try reader.readBytes())
        case .text: writer.write(try reader.readText())
        case .array:
            let count = try reader.readArrayCount(limit: .max)
            writer.writeArray(count: count)
            for _ in 0..<count { try copy(&reader, to: &writer) }
        case .map:
            let count = try reader.readMapCount(limit: .max)
            writer.writeMap(count: count)
            for _ in 0..<2 * count { try copy(&reader, to: &writer) }
        case .simple:
            if try reader.readNull() { return writer.writeNull() }
            var flag = reader
            if let value = try? flag.readBool() {
                writer.write(value)
                reader = flag
            } else {
                writer.write(try reader.readDouble())
            }
        }
    }
}
