import ChatelaineMemory
import Glibc

/// All passwords of one form, each of which is made as often as any other.
///
/// At each place stands one character of a set, and some sets have to be there. What lacks one is thrown away as a whole and
/// drawn anew. To put the missing character somewhere would make some passwords likelier than others, and ``bits`` untrue.
package struct PasswordPattern: Sendable {
    /// The characters that may stand at each place, none of them twice.
    private let places: [[UInt8]]
    /// Sets of which each has a character in every password.
    private let required: [[UInt8]]

    init(places: [[UInt8]], required: [[UInt8]] = []) {
        self.places = places
        self.required = required
    }

    /// - Throws: ``Status/param`` for a length that the kind does not have.
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

    package var length: Int { places.count }

    /// A password, which never was a string.
    package func password() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return password(using: &generator)
    }

    /// - Parameter generator: numbers that nobody can foretell; a test has others.
    func password(using generator: inout some RandomNumberGenerator) -> SecretBytes {
        SecretBytes(count: places.count) { password in
            repeat {
                for (index, characters) in places.enumerated() {
                    // Swift draws again where a remainder would prefer the first of them.
                    password[index] = characters[Int.random(in: characters.indices, using: &generator)]
                }
            } while !required.allSatisfy { characters in password.contains(where: characters.contains) }
        }
    }

    /// The logarithm of how many passwords there are: what they take to guess for somebody who knows how they are made.
    package var bits: Double { log2(count) }

    /// How many passwords there are: all without those that lack a set, by inclusion and exclusion.
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
    /// Without quotes, backslash and blank, at which scripts and files of settings stumble most.
    private static let signs = Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)

    private static let vowels = Array("aeiou".utf8)
    /// Without those that sound like others, or are hard to say before a vowel.
    private static let consonants = Array("bdfghjklmnprstvwz".utf8)
    private static let hyphen = Array("-".utf8)
    /// The longest word: three syllables are said in one go.
    private static let wordLength = 6

    /// Words of syllables with hyphens between, and a digit at the end.
    ///
    /// The places of vowels, hyphens and digit are known for each length. So they count for nothing, and a letter is worth
    /// 3.2 bits on average.
    private static func memorable(_ length: Int) -> PasswordPattern {
        // One more character goes with each word: a hyphen, or the digit.
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

    /// `xxx-xxx-xxx-xxx` of what `SecCreateSharedWebCredentialPassword` takes: no two of its characters look alike.
    package static let sharedWebCredential: PasswordPattern = {
        let sets = ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"].map { Array($0.utf8) }
        let group = Array(repeating: sets.flatMap(\.self), count: 3)
        let groups = Array(repeating: group, count: 4)
        return PasswordPattern(places: Array(groups.joined(separator: [hyphen])), required: sets)
    }()
}
