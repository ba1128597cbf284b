import ChatelaineMemory
import ChatelaineModel

/// Writes JSON (RFC 8259) into memory that wipes itself, because some values are secret.
///
/// Each object is on one line, so that line tools can read lists. The order of calls is not checked.
struct JSONWriter: ~Copyable {
    /// The size from which the buffer is written out.
    private static let flushBytes = 64 * 1024

    private var buffer = SecretBuffer(capacity: 1024)
    private var needsComma = false

    mutating func beginObject() { open("{") }
    mutating func endObject() { close("}") }
    mutating func beginArray() { open("[") }
    mutating func endArray() { close("]") }

    mutating func key(_ name: String) {
        value(name)
        raw(":")
        needsComma = false
    }

    /// Writes a key with a text, unless the thing lacks it: without a text, or with an empty one.
    mutating func pair(_ name: String, ifAny text: String?) {
        guard let text, !text.isEmpty else { return }
        key(name)
        value(text)
    }

    /// Writes a text; a character that a terminal would obey is written by its number.
    mutating func value(_ text: String) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            if scalar.value > 0x7F, Printable.isHarmful(scalar) {
                // All of them have four digits.
                raw("\\u")
                for shift in [12, 8, 4, 0] { buffer.append(Self.hexDigit(UInt8(scalar.value >> shift & 15))) }
            } else {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { escaped(byte) }
            }
        }
        buffer.append(UInt8(ascii: "\""))
    }

    mutating func value(_ number: some BinaryInteger) {
        separate()
        raw(String(number))
    }

    mutating func value(_ boolean: Bool) {
        separate()
        raw(boolean ? "true" : "false")
    }

    /// Writes a string from UTF-8 bytes, which may be secret.
    mutating func text(_ bytes: UnsafeRawBufferPointer) {
        separate()
        string(bytes)
    }

    /// Writes bytes in Base64 (RFC 4648, section 4); they may be secret.
    mutating func base64(_ bytes: UnsafeRawBufferPointer) {
        separate()
        raw("\"")
        buffer.reserve((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let group =
                UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[index + 2]) : 0)
            buffer.append(Self.base64Digit(group >> 18))
            buffer.append(Self.base64Digit(group >> 12))
            buffer.append(left > 1 ? Self.base64Digit(group >> 6) : UInt8(ascii: "="))
            buffer.append(left > 2 ? Self.base64Digit(group) : UInt8(ascii: "="))
            index += 3
        }
        raw("\"")
    }

    /// Ends the line between two values of a list.
    mutating func newline() {
        if needsComma { raw(",") }
        needsComma = false
        raw("\n")
    }

    /// Ends the last line.
    mutating func end() { raw("\n") }

    /// Writes the buffer to the output, always or only if it is large.
    mutating func flush(to output: Output, always: Bool = true) throws(OutputError) {
        guard always || buffer.count > Self.flushBytes else { return }
        try write(to: output)
        buffer.reset()
    }

    private borrowing func write(to output: Output) throws(OutputError) {
        var failure: OutputError?
        buffer.withUnsafeBytes { bytes in
            do throws(OutputError) { try output.write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private mutating func open(_ bracket: StaticString) {
        separate()
        raw(bracket.description)
        needsComma = false
    }

    private mutating func close(_ bracket: StaticString) {
        raw(bracket.description)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { raw(",") }
        needsComma = true
    }

    private mutating func raw(_ text: String) {
        for byte in text.utf8 { buffer.append(byte) }
    }

    /// Writes a string, escaping what RFC 8259, section 7 demands, and DEL for the sake of terminals.
    private mutating func string(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(UInt8(ascii: "\""))
        for byte in bytes { escaped(byte) }
        buffer.append(UInt8(ascii: "\""))
    }

    private mutating func escaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case UInt8(ascii: "\n"): raw("\\n")
        case UInt8(ascii: "\r"): raw("\\r")
        case UInt8(ascii: "\t"): raw("\\t")
        case 0..<0x20, 0x7F:
            raw("\\u00")
            buffer.append(Self.hexDigit(byte >> 4))
            buffer.append(Self.hexDigit(byte & 15))
        default: buffer.append(byte)
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The digit is calculated, because a table would be accessed at a secret-dependent place.
    private static func base64Digit(_ bits: UInt32) -> UInt8 {
        switch UInt8(bits & 63) {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + value - 26
        case let value where value < 62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}

/// Makes the keys of JSON objects, all in one style: `lowerCamelCase`.
enum JSONKey {
    /// The key for a name whose words are separated by hyphens, dots or blanks.
    static func text(_ name: some StringProtocol) -> String {
        var result = ""
        for word in name.split(whereSeparator: { "-. ".contains($0) }) {
            result += result.isEmpty ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }
        return result
    }
}
