/// What a call is to return (`kSecReturn…`).
package struct ReturnTypes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let data = ReturnTypes(rawValue: 1)
    package static let attributes = ReturnTypes(rawValue: 2)
    package static let reference = ReturnTypes(rawValue: 4)
    package static let persistentReference = ReturnTypes(rawValue: 8)
    /// Whether attributes are part of the result; every dictionary has them (behaviour/finding.md, 20).
    package var includeAttributes: Bool { contains(.attributes) || rawValue.nonzeroBitCount > 1 }

    static let known: ReturnTypes = [.data, .attributes, .reference, .persistentReference]
}
