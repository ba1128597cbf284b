/// A condition on an argument of a system call.
///
/// A filter sees the arguments in registers, not the memory to which they point. Numbers are compared by their low 32
/// bits, since the kernel uses no more of the arguments that we check.
enum ArgumentCheck: Hashable, Sendable {
    /// The bits of `mask` equal one of `values`.
    case bits(argument: Int, mask: UInt32, values: [UInt32])
    /// The argument is none of `values`.
    case not(argument: Int, values: [UInt32])
    /// The argument is a null pointer.
    case isNull(argument: Int)

    static func word(_ argument: Int, in values: [UInt32]) -> ArgumentCheck {
        .bits(argument: argument, mask: .max, values: values)
    }
}
