/// The value of an attribute, in the type in which it was given.
///
/// Values are equal if their bytes are equal. Swift takes strings of different normal forms as equal; the Keychain
/// takes them as different values.
package enum AttributeValue: Hashable, Sendable {
    case text(String)
    case data([UInt8])
    case number(Int64)
    /// Seconds since 1 January 2001, 00:00 UTC.
    case date(Double)

    /// Whether two values are the same for uniqueness and search.
    ///
    /// Text and data match if their bytes are equal (behaviour/attributes-and-dates.md, 15); other values have to agree
    /// in type too.
    package func matches(_ other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.text(let text), .data(let data)), (.data(let data), .text(let text)): text.utf8.elementsEqual(data)
        default: self == other
        }
    }

    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .data(let data): hasher.combine(data)
        case .number(let number): hasher.combine(number)
        case .date(let seconds): hasher.combine(seconds)
        }
    }

    /// The number that a string stands for in a number attribute; nil if it is kept as a string
    /// (behaviour/differences.md, 8).
    ///
    /// Only the plain spelling is converted, so that nothing is lost: "+5" and "007" are returned as they were given.
    static func decimal(_ text: String) -> Int64? {
        guard let number = Int64(text), String(number).utf8.elementsEqual(text.utf8) else { return nil }
        return number
    }
}

extension AttributeValue {
    /// Writes the value; its type is that of the CBOR value.
    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .text(let text): writer.write(text)
        case .data(let data): writer.write(data)
        case .number(let number): writer.write(number)
        case .date(let seconds): writer.write(seconds)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        switch try reader.peek() {
        case .text: self = .text(try reader.readText())
        case .bytes: self = .data(try reader.readArray())
        case .unsigned, .negative: self = .number(try reader.readInteger())
        case .simple: self = .date(try reader.readDouble())
        case .array, .map: throw .unexpectedType
        }
    }

    /// Skips a value, and throws where ``init(from:)`` would throw.
    static func skip(_ reader: inout CBORReader) throws(CBORError) {
        switch try reader.peek() {
        case .text, .bytes: try reader.skip()
        case .unsigned, .negative: _ = try reader.readInteger()
        case .simple: _ = try reader.readDouble()
        case .array, .map: throw .unexpectedType
        }
    }
}
