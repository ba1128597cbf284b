import CChatelaine

extension ArgumentCheck {
    /// The instructions of the check: they go on after the last one where it holds, and return `refusal` where it does
    /// not.
    func instructions(else refusal: chatelaine_instruction) -> [chatelaine_instruction] {
        switch self {
        case .isNull(let argument):
            [
                .load(.argument(argument)), .jump(.equal, 0, 1, 0), refusal,
                .load(.argumentHigh(argument)), .jump(.equal, 0, 1, 0), refusal,
            ]
        case .not(let argument, let values):
            [.load(.argument(argument))]
                + values.enumerated().map { index, value in
                    // Jumps to the refusal, over the remaining values and the jump over it.
                    .jump(.equal, value, UInt8(clamping: values.count - index), 0)
                } + [.jump(over: 1), refusal]
        case .bits(let argument, let mask, let values):
            [.load(.argument(argument))] + (mask == .max ? [] : [.mask(mask)])
                + values.enumerated().map { index, value in
                    // Jumps over the remaining values and the refusal.
                    .jump(.equal, value, UInt8(clamping: values.count - index), 0)
                } + [refusal]
        }
    }
}
