/// What a call is to return (`kSecReturn…`).
public struct ReturnTypes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let data = ReturnTypes(rawValue: 1)
    public static let attributes = ReturnTypes(rawValue: 2)
    public static let reference = ReturnTypes(rawValue: 4)
    public static let persistentReference = ReturnTypes(rawValue: 8)
    /// Whether attributes are part of the result, as they are of every dictionary (behaviour/finding.md, 20).
    public var needsAttributes: Bool {
        contains(.attributes) || (self != .data && self != .persistentReference && self != .reference && !isEmpty)
    }

    static let known: ReturnTypes = [.data, .attributes, .reference, .persistentReference]
}
