/// A defect of bytes that should be CBOR of our subset.
@usableFromInline
package enum CBORError: Error, Equatable, Sendable {
    /// The input ends inside a value.
    case truncated
    /// A value of another type stands where this one was expected.
    case unexpectedType
    /// A tag, an indefinite length, a reserved argument, or a simple value besides false, true and null.
    case unsupported
    /// A number or length that has a shorter form, or a floating-point number that is not 64 bits wide.
    case notShortest
    /// A number that the expected Swift type cannot hold.
    case outOfRange
    /// Text that is not UTF-8.
    case invalidText
    /// A map without a field that has to be there.
    case missingField
    /// Map keys that do not ascend; repeated keys are among them.
    case unorderedKeys
    /// More values in an array or map, or deeper nesting, than the limit allows.
    case limitExceeded
    /// Bytes after the end of the value.
    case trailingBytes
}

extension CBORError: CustomStringConvertible {
    @usableFromInline package var description: String {
        switch self {
        case .truncated: "it ends inside a value"
        case .unexpectedType: "a value of another type stands there"
        case .unsupported: "it holds something that this version does not know"
        case .notShortest: "a number is longer than it has to be"
        case .outOfRange: "a number is out of range"
        case .invalidText: "a text is not UTF-8"
        case .missingField: "a field is missing"
        case .unorderedKeys: "the keys of a map do not ascend"
        case .limitExceeded: "it holds more values than it may"
        case .trailingBytes: "bytes follow the end"
        }
    }
}
