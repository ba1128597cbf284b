import ChatelaineMemory

/// One line of what pinentry says.
enum AssuanLine: Equatable {
    case ok
    /// With the number of an error (libgpg-error), without where it comes from.
    case error(UInt32)
    /// Data begin behind the line's first two bytes.
    case data
    /// To be passed over: a comment, or a status.
    case remark
    /// It asks for something, or says what is none of the above.
    case other

    /// Error numbers of libgpg-error.
    enum Number {
        static let timeout: UInt32 = 62
        static let cancelled: UInt32 = 99
        static let notConfirmed: UInt32 = 114
        static let fullyCancelled: UInt32 = 198
    }

    /// Bits of an error that say what it is; those above say who found it.
    private static let numberBits: UInt32 = 0xFFFF

    /// - Parameter line: without what ends it.
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

    /// Appends what a line of data stands for; false where that is malformed or beyond `limit`.
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
