import ChatelaineMemory
import ChatelaineModel

/// Base64 (RFC 4648) for secrets.
///
/// The standard library has none, and daemons do not use Foundation.
enum Base64Text {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// - Parameter lineLength: the letters of a line, each ended by a line feed; nil for a single line without one.
    static func encoded(_ bytes: UnsafeRawBufferPointer, lineLength: Int? = nil) -> SecretBytes {
        let count = (bytes.count + 2) / 3 * 4
        let lines = lineLength.map { (count + $0 - 1) / $0 } ?? 0
        return SecretBytes(count: count + lines) { text in
            var (place, column) = (0, 0)
            func put(_ letter: UInt8) {
                text[place] = letter
                (place, column) = (place + 1, column + 1)
                guard let lineLength, column == lineLength else { return }
                text[place] = UInt8(ascii: "\n")
                (place, column) = (place + 1, 0)
            }
            for start in stride(from: 0, to: bytes.count, by: 3) {
                var number = UInt32(bytes[start]) << 16
                if start + 1 < bytes.count { number |= UInt32(bytes[start + 1]) << 8 }
                if start + 2 < bytes.count { number |= UInt32(bytes[start + 2]) }
                let left = bytes.count - start
                put(letters[Int(number >> 18)])
                put(letters[Int(number >> 12 & 63)])
                put(left > 1 ? letters[Int(number >> 6 & 63)] : padding)
                put(left > 2 ? letters[Int(number & 63)] : padding)
            }
            if lineLength != nil, column > 0 { text[place] = UInt8(ascii: "\n") }
        }
    }

    /// - Throws: ``FormatFailure/damaged`` for anything but letters, white space between them, and padding at the end.
    static func decoded(_ text: UnsafeRawBufferPointer) throws(FormatFailure) -> SecretBytes {
        var (number, bits, count, paddings, isRight) = (UInt32(0), 0, 0, 0, true)
        let room = SecretBytes(count: text.count / 4 * 3 + 3) { bytes in
            for letter in text {
                switch letter {
                case 0x09, 0x0A, 0x0D, 0x20: continue
                case padding: paddings += 1
                default:
                    let value = values[Int(letter)]
                    guard value != 0xFF, paddings == 0 else {
                        isRight = false
                        return
                    }
                    number = number << 6 | UInt32(value)
                    bits += 6
                    guard bits >= 8 else { continue }
                    bits -= 8
                    bytes[count] = UInt8(truncatingIfNeeded: number >> UInt32(bits))
                    count += 1
                }
            }
        }
        // The leftover bits of the last letter must be zero, and the padding must be complete.
        guard isRight, bits < 6, number & ((1 << UInt32(bits)) - 1) == 0, paddings == (bits == 0 ? 0 : bits / 2) else {
            throw .damaged
        }
        return room.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
