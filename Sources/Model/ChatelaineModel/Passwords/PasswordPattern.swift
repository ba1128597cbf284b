import ChatelaineMemory
import Glibc

/// All passwords of one form, each equally probable.
///
/// Each place has one character of a set, and some sets have to occur. A password that lacks one is discarded as a
/// whole and drawn again. Inserting the missing character would make some passwords more probable, and ``bits`` false.
package struct PasswordPattern: Sendable {
    /// The characters for each place, none of them twice.
    private let places: [[UInt8]]
    /// Sets of which every password has at least one character each.
    private let required: [[UInt8]]

    init(places: [[UInt8]], required: [[UInt8]] = []) {
        self.places = places
        self.required = required
    }

    /// - Throws: ``Status/param`` for a length that the kind does not allow.
    package init(_ kind: PasswordKind, length: Int) throws(KeychainError) {
        guard kind.lengths.contains(length) else {
            throw KeychainError(
                .param,
                "such a password has \(kind.lengths.lowerBound) to \(kind.lengths.upperBound) characters, and not \(length)"
            )
        }
        switch kind {
        case .memorable: self = .memorable(length)
        case .digits: self.init(places: Array(repeating: Self.digits, count: length))
        case .lettersAndDigits: self.init(length, of: [Self.lowerCase, Self.upperCase, Self.digits])
        case .random: self.init(length, of: [Self.lowerCase, Self.upperCase, Self.digits, Self.signs])
        }
    }

    private init(_ length: Int, of sets: [[UInt8]]) {
        self.init(places: Array(repeating: sets.flatMap(\.self), count: length), required: sets)
    }

    /// A random password; it is never held in a `String`.
    package func password() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return password(using: &generator)
    }

    /// - Parameter generator: an unpredictable generator; tests pass another.
    func password(using generator: inout some RandomNumberGenerator) -> SecretBytes {
        SecretBytes(count: places.count) { password in
            repeat {
                for (index, characters) in places.enumerated() {
                    // Swift draws again where a remainder would favour the first characters.
                    password[index] = characters[Int.random(in: characters.indices, using: &generator)]
                }
            } while !required.allSatisfy { characters in password.contains(where: characters.contains) }
        }
    }

    /// The logarithm of ``count``: the effort of guessing for someone who knows the form.
    package var bits: Double { log2(count) }

    /// The number of passwords: all combinations minus those that lack a set, by inclusion and exclusion.
    var count: Double {
        (0..<(1 << required.count)).reduce(0) { sum, choice in
            let missing = required.indices.filter { choice >> $0 & 1 == 1 }
            let excluded = Set(missing.flatMap { required[$0] })
            let remaining = places.reduce(1.0) { $0 * Double($1.count { !excluded.contains($0) }) }
            return missing.count.isMultiple(of: 2) ? sum + remaining : sum - remaining
        }
    }
}

extension PasswordPattern {
    private static let lowerCase = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    private static let upperCase = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    private static let digits = Array("0123456789".utf8)
    /// Quotes, backslash and blank are left out, because scripts and settings files often mishandle them.
    private static let signs = Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)

    private static let vowels = Array("aeiou".utf8)
    /// Letters that sound like others, or are hard to pronounce before a vowel, are left out.
    private static let consonants = Array("bdfghjklmnprstvwz".utf8)
    private static let hyphen = Array("-".utf8)
    /// The longest word, in letters: three syllables.
    private static let wordLength = 6

    /// Words of syllables with hyphens between them, and a digit at the end.
    ///
    /// The places of vowels, hyphens and digit are known for each length. So they add nothing, and a letter has 3.2
    /// bits on average.
    private static func memorable(_ length: Int) -> PasswordPattern {
        // Each word has one more character: a hyphen, or the digit.
        let words = max(2, (length + wordLength) / (wordLength + 1))
        let letters = length - words
        var places: [[UInt8]] = []
        for word in 0..<words {
            let count = letters / words + (word < letters % words ? 1 : 0)
            for index in 0..<count { places.append(index.isMultiple(of: 2) ? consonants : vowels) }
            places.append(word == words - 1 ? digits : hyphen)
        }
        return PasswordPattern(places: places)
    }

    /// The form `xxx-xxx-xxx-xxx` of `SecCreateSharedWebCredentialPassword`; no two of its characters look alike.
    package static let sharedWebCredential: PasswordPattern = {
        let sets = ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"].map { Array($0.utf8) }
        let group = Array(repeating: sets.flatMap(\.self), count: 3)
        let groups = Array(repeating: group, count: 4)
        return PasswordPattern(places: Array(groups.joined(separator: [hyphen])), required: sets)
    }()
}
