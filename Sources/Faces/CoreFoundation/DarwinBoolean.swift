/// C's truth value (`Boolean`): a byte, where 0 is false and any other value is true.
///
/// APIs use it behind pointers and in structures, as on Apple's platforms.
@frozen
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Equatable, Sendable {
    private var value: UInt8

    public init(_ value: Bool) { self.value = value ? 1 : 0 }

    public init(booleanLiteral value: Bool) { self.init(value) }

    public var boolValue: Bool { value != 0 }

    public static func == (one: DarwinBoolean, other: DarwinBoolean) -> Bool { one.boolValue == other.boolValue }
}

extension DarwinBoolean: CustomStringConvertible {
    public var description: String { boolValue.description }
}
