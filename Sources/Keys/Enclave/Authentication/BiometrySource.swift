import ChatelaineModel

/// The source of biometric facts.
///
/// Its caller records a match in a context (``AuthenticationContexts``).
package protocol BiometrySource: Sendable {
    /// The user's current enrolment, read anew each time within a time limit.
    func enrolment() -> BiometryEnrolment

    /// Waits for somebody to be verified, until there is a result or the caller no longer waits.
    func match(while isAwaited: () -> Bool) -> BiometryMatch
}

package enum BiometryEnrolment: Hashable, Sendable {
    /// There is no reader, or none answers in time.
    case noReader
    case nothing
    /// A digest of everything that is enrolled; it changes with the enrolment.
    case set(Bytes16)

    var enrolledSet: Bytes16? {
        guard case .set(let set) = self else { return nil }
        return set
    }
}

package enum BiometryMatch: Hashable, Sendable {
    /// The enrolment at the time of the match.
    case matched(Bytes16)
    case notMatched
    case unavailable
    /// The caller no longer waited.
    case withdrawn
}

/// A machine without biometrics, or without any that the custodian can observe.
package struct NoBiometry: BiometrySource {
    package init() {}

    package func enrolment() -> BiometryEnrolment { .noReader }

    package func match(while isAwaited: () -> Bool) -> BiometryMatch { .unavailable }
}
