import SwiftASN1
import X509

/// A distinguished name whose texts and types are numbers: equal ones have the same number.
struct NumberedName {
    struct Attribute {
        let type: Int
        /// Nil for older kinds of text, which may mean any text.
        let text: Int?
        let value: Int
    }

    let parts: [[Attribute]]

    init(_ name: DistinguishedName, _ numbers: inout NameNumbers) {
        parts = name.map { part in part.map { Attribute($0, &numbers) } }
    }

    /// The most attributes in one part of a name that are compared.
    ///
    /// Usual parts have one, and none has more than a few.
    private static let maximumAttributes = 16

    /// The comparisons of attributes that another name takes, with all parts of this one.
    var comparisons: Int {
        parts.reduce(1) { sum, part in
            sum + (part.count <= Self.maximumAttributes ? 2 * part.count * part.count : 1)
        }
    }

    /// Whether the name begins with all parts of `subtree`; nil if a part is in an unsupported encoding.
    func isWithin(_ subtree: NumberedName) -> Bool? {
        guard parts.count >= subtree.parts.count else { return false }
        return Comparison.all(zip(parts, subtree.parts).map { Self.areSame($0, $1) })
    }

    private static func areSame(_ mine: [Attribute], _ theirs: [Attribute]) -> Bool? {
        guard mine.count == theirs.count else { return false }
        guard mine.count <= maximumAttributes else { return nil }
        // Each attribute of either part must occur in the other.
        let found = mine.map { attribute in Comparison.any(theirs.map { attribute.isSame(as: $0) }) }
        return Comparison.all(found + theirs.map { attribute in Comparison.any(mine.map { attribute.isSame(as: $0) }) })
    }
}

extension NumberedName.Attribute {
    fileprivate init(_ attribute: RelativeDistinguishedName.Attribute, _ numbers: inout NameNumbers) {
        type = numbers.number(of: .type(attribute.type))
        // Case and the number of blanks do not matter (RFC 5280, 7.1).
        text = String(attribute.value).map { numbers.number(of: .text(ComparableName.folded($0))) }
        value = numbers.number(of: .value(attribute.value))
    }

    fileprivate func isSame(as other: Self) -> Bool? {
        guard type == other.type else { return false }
        if let text, let theirs = other.text { return text == theirs }
        return value == other.value ? true : nil
    }
}

/// Numbers for types, texts and values of names.
struct NameNumbers {
    enum Key: Hashable {
        case type(ASN1ObjectIdentifier)
        case text(String)
        case value(RelativeDistinguishedName.Attribute.Value)
    }

    private var numbers: [Key: Int] = [:]

    mutating func number(of key: Key) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = numbers.count
        return numbers.count - 1
    }
}

/// Combines answers, some of which may be unknown.
private enum Comparison {
    static func all(_ answers: [Bool?]) -> Bool? {
        answers.contains(false) ? false : answers.contains(nil) ? nil : true
    }

    static func any(_ answers: [Bool?]) -> Bool? {
        answers.contains(true) ? true : answers.contains(nil) ? nil : false
    }
}
