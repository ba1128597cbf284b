/// The value of an attribute, in the type in which it was given.
public enum AttributeValue: Hashable, Sendable {
    case text(String)
    case data([UInt8])
    case number(Int64)
    /// Seconds since 1 January 2001, 00:00 UTC.
    case date(Double)

    /// Whether the two are the same for uniqueness and search.
    ///
    /// Text and data of the same bytes are (rulings, 9); everything else has to agree in type.
    public func matches(_ other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.text(let text), .data(let data)), (.data(let data), .text(let text)): text.utf8.elementsEqual(data)
        // Strings with another normal form are equal in Swift, and are other values to the Keychain.
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        default: self == other
        }
    }
}

extension AttributeValue {
    /// Writes the value; its type is that of the CBOR value.
    public func encode(to writer: inout CBORWriter) {
        switch self {
        case .text(let text): writer.write(text)
        case .data(let data): writer.write(data)
        case .number(let number): writer.write(number)
        case .date(let seconds): writer.write(seconds)
        }
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        switch try reader.peek() {
        case .text: self = .text(try reader.readText())
        case .bytes: self = .data(try reader.readArray())
        case .unsigned, .negative: self = .number(try reader.readInteger())
        case .simple: self = .date(try reader.readDouble())
        case .array, .map: throw .unexpectedType
        }
    }
}
