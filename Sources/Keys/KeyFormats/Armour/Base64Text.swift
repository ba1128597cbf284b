import ChatelaineMemory
import ChatelaineModel

/// Base64 (RFC 4648) of what may be a secret. There is none in the standard library, and daemons have no Foundation.
enum Base64Text {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// - Parameter lineLength: letters of a line, each of which ends in a line feed; nil for one that has no end.
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

    /// - Throws: ``FormatFailure/damaged`` for anything but letters, padding at the end, and white space between them.
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
        // What is left over of the last letter is nothing, and there are as many letters as there have to be.
        guard isRight, bits < 6, number & ((1 << UInt32(bits)) - 1) == 0, paddings == (bits == 0 ? 0 : bits / 2) else {
            throw .damaged
        }
        return room.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
