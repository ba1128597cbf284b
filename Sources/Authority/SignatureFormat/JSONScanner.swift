import ChatelaineModel

/// Parses a text that is one JSON value, and refuses what other parsers understand differently.
///
/// It refuses a name that occurs twice, also in escaped form, because `JSONDecoder` would take one of the two. It also
/// refuses half surrogates and bytes after the end.
package struct JSONScanner {
    private let bytes: [UInt8]
    private var position = 0

    /// Parses the value of a whole text.
    package static func scan(_ bytes: [UInt8]) throws(SignatureFlaw) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw malformed("it is not UTF-8") }
        var scanner = JSONScanner(bytes: bytes)
        let value = try scanner.value(depth: 0)
        scanner.skipSpace()
        guard scanner.position == bytes.count else { throw malformed("something follows the end of its JSON") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static func malformed(_ detail: String) -> SignatureFlaw { SignatureFlaw(.malformed, detail) }

    private static let cut = malformed("its JSON is cut off, or none")

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Skips the next byte if it is `character`; returns whether it was.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(SignatureFlaw) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"):
            try check(depth)
            return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["):
            try check(depth)
            return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw Self.cut
        }
    }

    private func check(_ depth: Int) throws(SignatureFlaw) {
        guard depth < SignatureLimits.maximumDepth else {
            throw SignatureFlaw(.tooLarge, "its JSON is nested more than \(SignatureLimits.maximumDepth) deep")
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(SignatureFlaw) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw Self.cut }
        position += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(SignatureFlaw) -> JSONObject {
        position += 1
        var object = JSONObject()
        var names: Set<[UInt8]> = []
        skipSpace()
        if take("}") { return object }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw Self.cut }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else {
                throw SignatureFlaw(.duplicateName, "the name \(name) stands twice in one object")
            }
            skipSpace()
            guard take(":") else { throw Self.cut }
            skipSpace()
            let start = position
            let value = try value(depth: depth)
            object.members.append(JSONObject.Member(name: name, value: value, range: start..<position))
            skipSpace()
        } while take(",")
        guard take("}") else { throw Self.cut }
        return object
    }

    private mutating func array(depth: Int) throws(SignatureFlaw) -> [JSONValue] {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return values }
        repeat {
            values.append(try value(depth: depth))
            skipSpace()
        } while take(",")
        guard take("]") else { throw Self.cut }
        return values
    }

    // MARK: Strings

    private mutating func string() throws(SignatureFlaw) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escape()
            case ..<0x20: throw Self.malformed("a control character stands in a string of its JSON")
            default: text.append(byte)
            }
        }
        throw Self.cut
    }

    /// The UTF-8 of the escape after a backslash.
    private mutating func escape() throws(SignatureFlaw) -> [UInt8] {
        guard let byte = next else { throw Self.cut }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            var number = UInt32(first)
            if (0xD800...0xDBFF).contains(first) {
                guard take("\\"), take("u") else { throw Self.malformed("half a surrogate stands in its JSON") }
                let second = try hexadecimal()
                guard (0xDC00...0xDFFF).contains(second) else {
                    throw Self.malformed("half a surrogate stands in its JSON")
                }
                number = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
            }
            // Nil for a low surrogate without a high one before it.
            guard let scalar = Unicode.Scalar(number) else {
                throw Self.malformed("half a surrogate stands in its JSON")
            }
            return Array(String(scalar).utf8)
        default: throw Self.malformed("an escape of its JSON is none")
        }
    }

    private mutating func hexadecimal() throws(SignatureFlaw) -> UInt16 {
        var number: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Hexadecimal.value(of: byte) else { throw Self.cut }
            number = number << 4 | UInt16(digit)
            position += 1
        }
        return number
    }

    // MARK: Numbers

    private mutating func number() throws(SignatureFlaw) -> JSONValue {
        let start = position
        let isNegative = take("-")
        if take("0") {
            if let byte = next, Self.isDigit(byte) { throw Self.malformed("a number of its JSON begins with 0") }
        } else {
            try digits()
        }
        let isWhole = next != UInt8(ascii: ".") && next != UInt8(ascii: "e") && next != UInt8(ascii: "E")
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // Minus zero cannot be written again as an integer.
        guard isWhole, let number = Int64(text), !(isNegative && number == 0) else { return .number(text) }
        return .integer(number)
    }

    private mutating func digits() throws(SignatureFlaw) {
        let start = position
        while let byte = next, Self.isDigit(byte) { position += 1 }
        guard position > start else { throw Self.cut }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
