/// Whether a search may ask the user (`kSecUseAuthenticationUI`).
package enum AuthenticationUI: UInt8, Sendable {
    case allow = 0
    case fail = 1
    /// Leave out items that would need the user; for searches only.
    case skip = 2
}

/// The reason that a program gives for a prompt (`kSecUseOperationPrompt`).
///
/// A dialog shows it as the program's own words.
package struct OperationPrompt: Hashable, Sendable {
    /// At most ``Limits/promptBytes``.
    package let text: String

    /// Cuts the text to the limit, so that no call fails because of a long one.
    package init(_ text: String) { self.text = ExactText(text, limit: Limits.promptBytes).text }
}

extension OperationPrompt: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(text) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        text = try reader.readText(limit: Limits.promptBytes)
    }
}

/// Which items a search includes, by `kSecAttrSynchronizable`.
package enum SynchronizableScope: UInt8, Sendable {
    case local = 0
    case synchronizable = 1
    case any = 2

    package func contains(_ isSynchronizable: Bool) -> Bool {
        switch self {
        case .local: !isSynchronizable
        case .synchronizable: isSynchronizable
        case .any: true
        }
    }
}

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

/// How many items a search returns (`kSecMatchLimit`), which also decides whether the result is an array.
package enum MatchLimit: Hashable, Sendable {
    case one
    /// Two or more.
    case count(Int)
    case all

    /// - Parameter count: at least one.
    package init(_ count: Int) { self = count > 1 ? .count(count) : .one }

    /// The most items to return.
    package var maximum: Int {
        switch self {
        case .one: 1
        case .count(let count): count
        case .all: .max
        }
    }
}
