import ChatelaineMemory
import ChatelaineModel
import Glibc

/// A line that is being typed, edited by the terminal's keys, in memory that wipes itself.
///
/// The terminal's own editing would cut it at 4095 bytes without notice (termios(3)).
struct SecretLine: ~Copyable {
    /// The state of the line after one more byte.
    enum Step {
        case isGoingOn
        case isFinished
        /// The end of input was typed on an empty line.
        case isEnded
        /// There is no room for the byte.
        case isFull
    }

    private let keys: EditingKeys
    private let limit: Int
    private var text = SecretBuffer(capacity: 256)
    private var isLiteral = false

    /// - Parameter limit: the most bytes of the line.
    init(keys: EditingKeys, limit: Int = Limits.secretBytes) {
        self.keys = keys
        self.limit = limit
    }

    mutating func take(_ byte: UInt8) -> Step {
        if isLiteral {
            isLiteral = false
            return append(byte)
        }
        switch keys.meaning(of: byte) {
        case .end: return .isFinished
        case .endOfInput: return text.count == 0 ? .isEnded : .isFinished
        case .erase: text.removeLast(lastCharacter)
        case .eraseWord: eraseWord()
        case .eraseLine: text.removeLast(text.count)
        case .literal: isLiteral = true
        case .nothing: break
        case nil: return append(byte)
        }
        return .isGoingOn
    }

    consuming func finish() -> SecretBytes { text.finish() }

    private mutating func append(_ byte: UInt8) -> Step {
        guard text.count < limit else { return .isFull }
        text.append(byte)
        return .isGoingOn
    }

    /// The number of bytes of the last character: a scalar in UTF-8, or one byte if it is no UTF-8.
    private var lastCharacter: Int {
        text.withUnsafeBytes { bytes in
            let tail = bytes.reversed().prefix { $0 & 0xC0 == 0x80 }.prefix(3).count
            guard tail > 0, bytes.count > tail else { return min(1, bytes.count) }
            let length =
                switch bytes[bytes.count - tail - 1] {
                case 0xC0...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF7: 4
                default: 0
                }
            return length == tail + 1 ? length : 1
        }
    }

    /// Erases blanks at the end, and the word before them.
    private mutating func eraseWord() {
        let number = text.withUnsafeBytes { bytes in
            let blanks = bytes.reversed().prefix(while: Self.isBlank).count
            return blanks + bytes.dropLast(blanks).reversed().prefix { !Self.isBlank($0) }.count
        }
        text.removeLast(number)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
