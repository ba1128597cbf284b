import CChatelaine

/// The few instructions of classic BPF that our filters use (linux/bpf_common.h).
extension chatelaine_instruction {
    /// Offsets in `struct seccomp_data`; both machines are little-endian.
    enum Place {
        case number
        case architecture
        case argument(Int)
        case argumentHigh(Int)

        var offset: UInt32 {
            switch self {
            case .number: 0
            case .architecture: 4
            case .argument(let index): 16 + 8 * UInt32(index)
            case .argumentHigh(let index): 20 + 8 * UInt32(index)
            }
        }
    }

    enum Comparison: UInt16 {
        case equal = 0x15
        case atLeast = 0x35
    }

    static func load(_ place: Place) -> Self { Self(code: 0x20, jump_true: 0, jump_false: 0, constant: place.offset) }

    static func mask(_ bits: UInt32) -> Self { Self(code: 0x54, jump_true: 0, jump_false: 0, constant: bits) }

    static func jump(_ comparison: Comparison, _ value: UInt32, _ ifTrue: UInt8, _ ifFalse: UInt8) -> Self {
        Self(code: comparison.rawValue, jump_true: ifTrue, jump_false: ifFalse, constant: value)
    }

    static func jump(over count: Int) -> Self {
        Self(code: 0x05, jump_true: 0, jump_false: 0, constant: UInt32(count))
    }

    static func answer(_ verdict: Verdict) -> Self {
        Self(code: 0x06, jump_true: 0, jump_false: 0, constant: verdict.returnValue)
    }
}
