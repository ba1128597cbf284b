import ChatelaineMemory
import ChatelaineModel
import Glibc

/// How hard a passcode is to guess, at most: what its length and its kinds of characters allow.
///
/// It knows no words, names or dates, which people who guess try first; so a passcode of these is much weaker than it says.
struct PasscodeStrength {
    /// Below this a passcode is found by whoever has the disk and some patience (THREAT-MODEL.md).
    static let sensibleBits = 40
    /// A character that repeats the one before, or is the next in its row, as in “aaaa” or “1234”.
    private static let bitsOfExpected = 1.0

    let bits: Int

    /// Looks at the bytes where they are; no table is asked for one of them.
    init(_ passcode: SecretBytes) {
        bits = passcode.withUnsafeBytes { bytes in
            var kinds: Set<Kind> = []
            for byte in bytes { kinds.insert(Kind(byte)) }
            let each = log2(kinds.reduce(0.0) { $0 + $1.size })
            var sum = 0.0
            for index in bytes.indices {
                let isExpected = index > 0 && abs(Int(bytes[index]) - Int(bytes[index - 1])) <= 1
                sum += isExpected ? min(Self.bitsOfExpected, each) : each
            }
            return Int(sum)
        }
    }

    private enum Kind: Hashable {
        case digit
        case lower
        case upper
        case mark
        /// A byte of a character outside of ASCII: of those that a keyboard has.
        case other

        init(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
            case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lower
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upper
            case ..<0x80: self = .mark
            default: self = .other
            }
        }

        var size: Double {
            switch self {
            case .digit: 10
            case .lower, .upper: 26
            case .mark: 33
            case .other: 16
            }
        }
    }
}
