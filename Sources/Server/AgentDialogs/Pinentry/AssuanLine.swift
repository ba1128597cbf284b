import ChatelaineMemory

/// One line of pinentry's output.
enum AssuanLine: Equatable {
    case ok
    /// An error with its number (libgpg-error), without its source.
    case error(UInt32)
    /// Data, which begin after the first two bytes of the line.
    case data
    /// A comment or a status, which is ignored.
    case remark
    /// A question, or anything else.
    case other

    /// Error numbers of libgpg-error.
    enum Number {
        static let timeout: UInt32 = 62
        static let cancelled: UInt32 = 99
        static let notConfirmed: UInt32 = 114
        static let fullyCancelled: UInt32 = 198
    }

    /// The bits of an error that hold its number; the higher bits name its source.
    private static let numberBits: UInt32 = 0xFFFF

    /// Reads one line.
    ///
    /// - Parameter line: the line without its end.
    init(_ line: UnsafeRawBufferPointer) {
        if Self.begins(line, "D ") {
            self = .data
        } else if Self.begins(line, "OK"), line.count == 2 || line[2] == UInt8(ascii: " ") {
            self = .ok
        } else if Self.begins(line, "ERR ") {
            self = .error(Self.number(line.dropFirst(4)) & Self.numberBits)
        } else if line.isEmpty || Self.begins(line, "#") || Self.begins(line, "S ") {
            self = .remark
        } else {
            self = .other
        }
    }

    /// Appends the bytes of a line of data; false where it is malformed or exceeds `limit`.
    static func append(_ line: UnsafeRawBufferPointer, to data: inout SecretBuffer, limit: Int) -> Bool {
        var index = 2
        while index < line.count {
            var byte = line[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < line.count, let high = digit(line[index]), let low = digit(line[index + 1]) else {
                    return false
                }
                byte = high << 4 | low
                index += 2
            }
            guard data.count < limit else { return false }
            data.append(byte)
        }
        return true
    }

    private static func begins(_ line: UnsafeRawBufferPointer, _ start: StaticString) -> Bool {
        line.count >= start.utf8CodeUnitCount
            && start.withUTF8Buffer { line.prefix($0.count).elementsEqual($0) }
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        var number: UInt32 = 0
        for byte in digits.prefix(10) {
            guard let digit = digit(byte), digit < 10 else { break }
            number = number &* 10 &+ UInt32(digit)
        }
        return number
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
