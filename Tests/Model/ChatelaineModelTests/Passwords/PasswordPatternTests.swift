import ChatelaineMemory
import Glibc
import TestSupport
import Testing

@testable import ChatelaineModel

/// Tests of patterns of passwords: how many passwords each has, and how these are drawn.
struct PasswordPatternTests {
    private static func text(_ password: SecretBytes) -> String {
        password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// A pattern so small that a test can list every password.
    struct Small: Sendable {
        let places: [String]
        let required: [String]

        var pattern: PasswordPattern {
            PasswordPattern(places: places.map { Array($0.utf8) }, required: required.map { Array($0.utf8) })
        }

        var all: [String] {
            let texts = places.reduce([""]) { texts, set in texts.flatMap { text in set.map { text + String($0) } } }
            return texts.filter { text in required.allSatisfy { set in text.contains(where: set.contains) } }
        }
    }

    private static let small = [
        Small(places: ["abc", "abc"], required: []),
        Small(places: Array(repeating: "abc12", count: 4), required: ["abc", "12"]),
        Small(places: ["a1%", "-", "a1%", "ab1%&"], required: ["ab", "1", "%&"]),
        // Sets share a character, and a place has a set of its own.
        Small(places: ["a1", "2", "ab", "b2"], required: ["ab", "b2", "12"]),
    ]

    @Test(arguments: PasswordPatternTests.small)
    func bitsAreOfWhatThereIs(small: Small) {
        #expect(small.pattern.count == Double(small.all.count))
        #expect(small.pattern.bits == log2(Double(small.all.count)))
    }

    @Test func bitsOfKnownPatterns() throws {
        #expect(try PasswordPattern(.digits, length: 4).count == 10_000)
        #expect(try PasswordPattern(.memorable, length: 8).count == 17 * 5 * 17 * 17 * 5 * 17 * 10)
        // The number of texts with 9 of 62 letters and digits, less those that lack a set, computed by hand.
        let whole = try PasswordPattern(.lettersAndDigits, length: 9)
        let counted = pow(62.0, 9) - 2 * pow(36, 9) - pow(52, 9) + 2 * pow(26, 9) + pow(10, 9)
        #expect(abs(whole.count - counted) <= counted * 1e-12)
        #expect((68.0..<68.5).contains(PasswordPattern.sharedWebCredential.bits))
        for kind in PasswordKind.allCases {
            #expect(try PasswordPattern(kind, length: kind.usualLength).bits > 50)
            let bits = try kind.lengths.map { try PasswordPattern(kind, length: $0).bits }
            #expect(bits == bits.sorted())
        }
    }

    /// The distribution is uniform.
    ///
    /// A remainder of a division or a character inserted later would show here.
    @Test(arguments: PasswordPatternTests.small)
    func eachIsMadeAsOften(small: Small) {
        let pattern = small.pattern
        var generator = SeededGenerator(seed: 42)
        let draws = 200_000
        var found: [String: Int] = [:]
        for _ in 0..<draws { found[Self.text(pattern.password(using: &generator)), default: 0] += 1 }
        #expect(Set(found.keys) == Set(small.all))
        let expected = Double(draws) / pattern.count
        let deviation = found.values.reduce(0.0) { $0 + pow(Double($1) - expected, 2) / expected }
        // Chi square has the number of passwords as its mean and the root of twice that as its spread.
        #expect(deviation < pattern.count + 6 * (2 * pattern.count).squareRoot())
    }

    @Test(arguments: PasswordKind.allCases)
    func everyCharacterIsPossibleAndEverySetIsThere(kind: PasswordKind) throws {
        for length in [kind.lengths.lowerBound, kind.usualLength, kind.lengths.upperBound] {
            let pattern = try PasswordPattern(kind, length: length)
            var seen: Set<Character> = []
            for _ in 0..<1500 {
                let password = Self.text(pattern.password())
                #expect(password.utf8.count == length)
                let holds = { (set: (Character) -> Bool) in password.contains(where: set) }
                #expect(holds(\.isNumber) && password.allSatisfy(\.isASCII))
                #expect(kind == .digits || holds(\.isLowercase))
                #expect(kind == .digits || kind == .memorable || holds(\.isUppercase))
                #expect(kind != .random || holds { $0.isPunctuation || $0.isSymbol })
                seen.formUnion(password)
            }
            let possible =
                switch kind {
                case .memorable: 17 + 5 + 10 + 1
                case .lettersAndDigits: 62
                case .digits: 10
                case .random: 62 + 28
                }
            #expect(seen.count == possible)
        }
    }

    @Test func syllablesCanBeSaid() throws {
        for length in PasswordKind.memorable.lengths {
            let password = Self.text(try PasswordPattern(.memorable, length: length).password())
            #expect(password.wholeMatch(of: /([a-z]{3,6}-)+[a-z]{3,6}[0-9]/) != nil, "\(password)")
            for word in password.dropLast().split(separator: "-") {
                for (index, letter) in word.enumerated() { #expect("aeiou".contains(letter) == (index % 2 == 1)) }
            }
        }
    }

    @Test func sharedPasswordsHaveTheirForm() {
        for _ in 0..<1000 {
            let password = Self.text(PasswordPattern.sharedWebCredential.password())
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            #expect(groups.count == 4 && groups.allSatisfy { $0.count == 3 })
            let characters = Set(groups.joined())
            for set in ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"] {
                #expect(!characters.isDisjoint(with: set))
            }
            #expect(characters.isSubset(of: "abcdefghkmnopqrstuvwxyABCDEFGHJKLMNPQRSTUVWXYZ3456789"))
        }
    }

    @Test func otherLengthsAreRefused() throws {
        for (kind, lengths) in [
            (PasswordKind.memorable, 8...31), (.lettersAndDigits, 8...31), (.random, 8...31), (.digits, 4...31),
        ] {
            #expect(kind.lengths == lengths)
            for length in [Int.min, -1, 0, lengths.lowerBound - 1, lengths.upperBound + 1, Int.max] {
                let error = #expect(throws: KeychainError.self) { try PasswordPattern(kind, length: length) }
                #expect(error?.status == .param)
            }
        }
    }
}
