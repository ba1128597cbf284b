/// What a password that is made is meant for.
package enum PasswordKind: CaseIterable, Sendable {
    /// To be kept in mind and typed: syllables, hyphens and a digit.
    case memorable
    /// For forms that take no signs.
    case lettersAndDigits
    /// For keypads.
    case digits
    /// Of everything that a keyboard has.
    case random

    /// Characters that such a password may have.
    ///
    /// Below 8 most forms refuse it, and guessing the whole is too easy. 31 is where Apple's assistant ends: every kind but
    /// digits is beyond guessing long before. Digits begin with 4, since cards and telephones have numbers of 4 and 6.
    package var lengths: ClosedRange<Int> { self == .digits ? 4...31 : 8...31 }

    /// Unless somebody chooses: 75 bits and more for keyboards, and 53 for keypads, which mostly count wrong tries.
    package var usualLength: Int {
        switch self {
        case .memorable: 26
        case .lettersAndDigits, .random: 20
        case .digits: 16
        }
    }
}
