/// What a search in file keychains demands of the common name of a certificate's subject (behaviour/keychain-items.md,
/// 36).
///
/// The calling program compares the names with Foundation's rules for text; the daemons do not link Foundation.
package struct SubjectTerms: Hashable, Sendable {
    /// The part of the name that the text has to match.
    package enum Place: Hashable, Sendable {
        case anywhere
        case start
        case end
        case whole
    }

    package struct Term: Hashable, Sendable {
        package let text: String
        package let place: Place
    }

    package private(set) var terms: [Term] = []
    package private(set) var ignoresCase = false
    package private(set) var ignoresDiacritics = false
    package private(set) var ignoresWidth = false

    package init() {}

    package var isEmpty: Bool { terms.isEmpty }

    private static let places: [String: Place] = [
        QueryKey.matchSubjectContains: .anywhere, "m_SubjectStartsWith": .start, "m_SubjectEndsWith": .end,
        "m_SubjectWholeString": .whole,
    ]

    /// Takes a pair; returns false if its key has another meaning, alone or as well.
    mutating func take(_ key: String, _ value: QueryValue) throws(KeychainError) -> Bool {
        if let place = Self.places[key] {
            guard case .text(let text) = value else {
                throw KeychainError(.param, "the value of \(KeyName.of(key)) must be a string")
            }
            terms.append(Term(text: text, place: place))
            return true
        }
        switch key {
        case "m_DiacriticInsensitive": ignoresDiacritics = try value.boolean(of: KeyName.of(key))
        case "m_WidthInsensitive": ignoresWidth = try value.boolean(of: KeyName.of(key))
        case QueryKey.matchCaseInsensitive:
            ignoresCase = try value.boolean(of: KeyName.of(key))
            return false
        default: return false
        }
        return true
    }
}
