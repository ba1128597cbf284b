/// What an argument of a system call has to be.
///
/// A filter sees arguments as they are in registers and no memory they point to. Numbers are compared by their low 32 bits,
/// which is all that the kernel looks at in those that we check.
enum ArgumentCheck: Hashable, Sendable {
    /// The bits of `mask` are one of `values`.
    case bits(argument: Int, mask: UInt32, values: [UInt32])
    /// The word is none of `values`.
    case not(argument: Int, values: [UInt32])
    /// A null pointer.
    case isNull(argument: Int)

    static func word(_ argument: Int, in values: [UInt32]) -> ArgumentCheck {
        .bits(argument: argument, mask: .max, values: values)
    }
}
