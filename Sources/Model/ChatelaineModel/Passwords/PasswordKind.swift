/// The purpose of a generated password, which decides its characters.
///
/// The words are on the command line, and never change.
package enum PasswordKind: String, CaseIterable, Sendable {
    /// A password to remember and type: syllables, hyphens and a digit.
    case memorable = "memorable"
    /// A password for forms that accept no signs.
    case lettersAndDigits = "letters-and-digits"
    /// A password for keypads.
    case digits = "digits"
    /// A password of any characters that a keyboard has.
    case random = "random"

    /// The lengths that such a password may have.
    ///
    /// Most forms refuse fewer than 8 characters, which are also too easy to guess. 31 is the maximum of Apple's
    /// assistant, and every kind but digits is beyond guessing well below it. Digits begin at 4, since cards and
    /// telephones have numbers of 4 and 6.
    package var lengths: ClosedRange<Int> { self == .digits ? 4...31 : 8...31 }

    /// The default length: at least 75 bits for keyboards, and 53 for keypads, which usually count wrong attempts.
    package var usualLength: Int {
        switch self {
        case .memorable: 26
        case .lettersAndDigits, .random: 20
        case .digits: 16
        }
    }
}
