import CPasswordStrength
import ChatelaineMemory

/// How hard a password is to guess, in bits: one bit more doubles the guesses.
package struct PasswordStrength: Sendable {
    /// What a number of bits means: who can guess such a password. The words are in JSON and never change.
    package enum Step: String, Sendable, CaseIterable {
        /// Below 20 bits: anyone who may try a million times, as many logins over a network allow.
        case veryWeak = "very-weak"
        /// Below 40 bits: anyone with a copy of the protected data and some patience, however costly a guess is
        /// (THREAT-MODEL.md).
        case weak = "weak"
        /// Below 60 bits: anyone with a copy of the data, where a guess costs next to nothing, as for most websites.
        case fair = "fair"
        /// Below 80 bits: anyone with such a copy who rents machines for years.
        case strong = "strong"
        /// 80 bits or more: nobody.
        case veryStrong = "very-strong"

        package var text: String {
            switch self {
            case .veryWeak: "very weak"
            case .weak: "weak"
            case .fair: "fair"
            case .strong: "strong"
            case .veryStrong: "very strong"
            }
        }
    }

    /// A password with fewer bits is weak.
    package static let sensibleBits = 40

    package let bits: Int

    package init(bits: Double) { self.bits = bits.isFinite ? Int(max(0, bits).rounded(.down)) : 0 }

    /// Estimates the guesses of somebody who knows which passwords people choose.
    ///
    /// The estimate knows neither words of other languages than English nor facts about a person. A password of these
    /// is weaker than the estimate says.
    ///
    /// - Parameter known: the bits of a password whose way of generation is known; the estimate is never higher.
    package init(estimating password: SecretBytes, atMost known: Double = .infinity) {
        // SAFETY: the call reads `bytes.count` bytes at most, and keeps none.
        let estimate = password.withUnsafeBytes { chatelaine_password_bits($0.baseAddress, $0.count) }
        self.init(bits: min(estimate, known))
    }

    /// Whether a person who chooses this password is warned.
    package var isWeak: Bool { bits < Self.sensibleBits }

    package var step: Step {
        switch bits {
        case ..<20: .veryWeak
        case ..<Self.sensibleBits: .weak
        case ..<60: .fair
        case ..<80: .strong
        default: .veryStrong
        }
    }
}
