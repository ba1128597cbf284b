import ChatelaineModel

/// A JSON value (RFC 8259).
///
/// A number is an integer, or keeps its text.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number, as its text.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// Nil unless the value is an array of strings alone.
    package var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let strings = values.compactMap(\.string)
        return strings.count == values.count ? strings : nil
    }
}

/// The members of an object, in their order; each name occurs once.
package struct JSONObject: Equatable, Sendable {
    package struct Member: Equatable, Sendable {
        package let name: String
        package let value: JSONValue
        /// The position of the value in the scanned text; empty for a member that was not scanned.
        package let range: Range<Int>

        package init(name: String, value: JSONValue, range: Range<Int> = 0..<0) {
            self.name = name
            self.value = value
            self.range = range
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.name == right.name && left.value == right.value
        }
    }

    package var members: [Member]

    package init(members: [Member] = []) { self.members = members }

    /// Names are compared byte for byte, because Swift treats some different strings as equal, such as K and the kelvin
    /// sign.
    package subscript(name: String) -> Member? { members.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// The first member name that is not in `names`.
    package func stranger(to names: [String]) -> String? {
        members.first { member in !names.contains { $0.utf8.elementsEqual(member.name.utf8) } }?.name
    }
}

extension JSONValue {
    /// The value as text without spaces, with members in their order.
    package var encoded: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }

    private func write(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let number): text += String(number).utf8
        case .number(let number): text += number.utf8
        case .string(let string): Self.write(string, to: &text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let object):
            text.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case ..<0x20: text += "\\u00".utf8 + Hexadecimal.digits(of: byte)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
