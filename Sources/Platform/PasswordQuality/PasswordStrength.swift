import CPasswordStrength
import ChatelaineMemory

/// How hard a password is to guess, in bits: one more is twice as many tries.
package struct PasswordStrength: Sendable {
    /// What a number of bits means, by who finds such a password. The words are in JSON: they never change.
    package enum Step: String, Sendable, CaseIterable {
        /// Below 20 bits: whoever may try a million times, as many logins over a network let them.
        case veryWeak = "very-weak"
        /// Below 40: whoever has a copy of what it protects and some patience, whatever a guess costs there (THREAT-MODEL.md).
        case weak = "weak"
        /// Below 60: whoever has a copy, where a guess costs next to nothing, as with most websites.
        case fair = "fair"
        /// Below 80: whoever has a copy like that and rents machines for years.
        case strong = "strong"
        /// Nobody.
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

    /// Below this it is weak.
    package static let sensibleBits = 40

    package let bits: Int

    package init(bits: Double) { self.bits = bits.isFinite ? Int(max(0, bits).rounded(.down)) : 0 }

    /// What somebody needs who knows what people take. Words of other languages than English, and what belongs to a person, it
    /// does not know, so that a password of these is weaker than it says.
    ///
    /// - Parameter known: bits of a password whose way of being made is known; it has no more than these.
    package init(estimating password: SecretBytes, atMost known: Double = .infinity) {
        // SAFETY: the call reads `bytes.count` bytes at most, and keeps none.
        let estimate = password.withUnsafeBytes { chatelaine_password_bits($0.baseAddress, $0.count) }
        self.init(bits: min(estimate, known))
    }

    /// Whether whoever is about to take it is told.
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
