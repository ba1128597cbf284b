import ChatelaineModel
import Testing

/// Tests of the rules of the subset beyond the examples of the RFC, each with inputs that break it.
struct CBORRuleTests {
    static func verdict(_ digits: String) -> CBORError? {
        bytes(digits).withUnsafeBytes { input in
            do throws(CBORError) {
                _ = try CBORTree.reading(input)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(arguments: [
        // Numbers and lengths that have a shorter form, at each border.
        ("1800", CBORError.notShortest), ("1817", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
        ("1b00000000ffffffff", .notShortest), ("3817", .notShortest),
        ("5817" + String(repeating: "00", count: 23), .notShortest),
        ("780161", .notShortest), ("980100", .notShortest), ("b80100 00", .notShortest),
        // Reserved arguments.
        ("1c", .unsupported), ("1d", .unsupported), ("1e", .unsupported), ("1f", .unsupported), ("5c", .unsupported),
        ("ff", .unsupported), ("fc", .unsupported), ("f800", .unsupported), ("f8f4", .unsupported),
        ("e0", .unsupported),
        // Keys that repeat, descend by bytes, or have a longer one before a shorter one.
        ("a201000100", .unorderedKeys), ("a202000100", .unorderedKeys), ("a2186400 0a00", .unorderedKeys),
        ("a2626161006162 00", .unorderedKeys), ("a220000000", .unorderedKeys), ("81a201000100", .unorderedKeys),
        // Text.
        ("61ff", .invalidText), ("62c328", .invalidText), ("62c080", .invalidText), ("63eda080", .invalidText),
        ("64f4908080", .invalidText), ("61c3", .invalidText),
        // Bytes after the end of the value.
        ("0000", .trailingBytes), ("8000", .trailingBytes), ("f6f6", .trailingBytes),
        // Input that ends inside a value.
        ("", .truncated), ("18", .truncated), ("19ff", .truncated), ("42 00", .truncated), ("61", .truncated),
        ("81", .truncated), ("a100", .truncated), ("fb00000000000000", .truncated),
    ])
    func brokenRule(_ digits: String, _ error: CBORError) { #expect(Self.verdict(digits) == error) }

    @Test(arguments: [
        // Keys are in the order of their encodings: numbers, then byte strings, then text; 100 after 24, "z" before
        // "aa".
        "a3 00 00 4100 00 6100 00", "a2 17 00 1864 00", "a2 617a 00 626161 00", "a2 00 00 20 00",
    ])
    func orderedKeys(_ digits: String) { #expect(Self.verdict(digits) == nil) }

    @Test func nestingEndsAtItsLimit() {
        let deepest = CBORReader.maximumDepth
        for inner in ["", "00", "6161"] {
            let wrap = { (count: Int) in
                String(repeating: "81", count: inner.isEmpty ? count - 1 : count) + (inner.isEmpty ? "80" : inner)
            }
            #expect(Self.verdict(wrap(deepest)) == nil, "\(inner)")
            #expect(Self.verdict(wrap(deepest + 1)) == .limitExceeded, "\(inner)")
        }
        // A hundred thousand levels must not exhaust the stack.
        #expect(Self.verdict(String(repeating: "81", count: 100_000)) == .limitExceeded)
        #expect(Self.verdict(String(repeating: "a1", count: 100_000)) == .limitExceeded)
    }

    @Test(arguments: [
        "5b7fffffffffffffff", "5bffffffffffffffff", "7b7fffffffffffffff", "9b7fffffffffffffff", "bb7fffffffffffffff",
        "5a7fffffff00", "7a7fffffff61", "bbffffffffffffffff",
    ])
    func lyingLengthIsFoundBeforeMemoryIsSpent(_ digits: String) {
        // Each length is larger than any machine's memory, so an allocation would end the process.
        let error = Self.verdict(digits)
        #expect(error == .truncated || error == .limitExceeded)
        bytes(digits).withUnsafeBytes { input in
            #expect(throws: CBORError.self) {
                var reader = CBORReader(input)
                _ = try reader.readSecret()
            }
            #expect(throws: CBORError.self) {
                var reader = CBORReader(input)
                _ = try AttributeSet(from: &reader)
            }
        }
    }

    @Test func countsAreBoundedByLimitAndInput() {
        let input = bytes("8a" + String(repeating: "00", count: 10))
        input.withUnsafeBytes { input in
            var reader = CBORReader(input)
            #expect(throws: CBORError.limitExceeded) { try reader.readArrayCount(limit: 9) }
            reader = CBORReader(input)
            #expect(throws: Never.self) { try reader.readArrayCount(limit: 10) }
        }
        bytes("8a0000").withUnsafeBytes { input in
            var reader = CBORReader(input)
            #expect(throws: CBORError.truncated) { try reader.readArrayCount(limit: 100) }
        }
    }

    @Test(arguments: ["00", "20", "40", "60", "80", "a0", "f4", "f6", "fb3ff199999999999a", "3bffffffffffffffff"])
    func otherTypeIsNamedAsSuch(_ digits: String) {
        let input = bytes(digits)
        let major = input[0] >> 5
        func error(_ read: (inout CBORReader) throws(CBORError) -> Void) -> CBORError? {
            input.withUnsafeBytes { input in
                var reader = CBORReader(input)
                do throws(CBORError) { try read(&reader) } catch { return error }
                return nil
            }
        }
        if major != 0 {
            #expect(error { reader throws(CBORError) in _ = try reader.readUnsigned() } == .unexpectedType)
        }
        if major > 1 { #expect(error { reader throws(CBORError) in _ = try reader.readInteger() } == .unexpectedType) }
        if major != 2 { #expect(error { reader throws(CBORError) in _ = try reader.readBytes() } == .unexpectedType) }
        if major != 3 { #expect(error { reader throws(CBORError) in _ = try reader.readText() } == .unexpectedType) }
        if major != 4 {
            #expect(error { reader throws(CBORError) in _ = try reader.readArrayCount(limit: 9) } == .unexpectedType)
        }
        if major != 5 {
            #expect(error { reader throws(CBORError) in _ = try reader.readMapCount(limit: 9) } == .unexpectedType)
        }
        if input[0] != 0xF4 {
            #expect(error { reader throws(CBORError) in _ = try reader.readBool() } == .unexpectedType)
        }
        if input[0] != 0xFB {
            #expect(error { reader throws(CBORError) in _ = try reader.readDouble() } == .unexpectedType)
        }
    }

    @Test func aLongStringIsNoInteger() {
        // The argument alone is beyond Int64; the type is checked first.
        bytes("5bffffffffffffffff").withUnsafeBytes { input in
            var reader = CBORReader(input)
            #expect(throws: CBORError.unexpectedType) { try reader.readInteger() }
        }
    }

    @Test(arguments: [Int64.min, -4_294_967_297, -257, -256, -25, -24, -1, 0, 23, 24, 255, 256, 65535, 65536, .max])
    func integersComeBack(_ value: Int64) throws {
        var writer = CBORWriter()
        writer.write(value)
        let encoding = writer.finishArray()
        try encoding.withUnsafeBytes { input in
            var reader = CBORReader(input)
            #expect(try reader.readInteger() == value)
            try reader.finish()
            reader = CBORReader(input)
            try reader.skip()
            #expect(reader.isAtEnd)
        }
    }
}
