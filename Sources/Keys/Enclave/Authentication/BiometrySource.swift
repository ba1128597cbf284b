import ChatelaineModel

/// Where the custodian learns about biometrics. What matches is noted in a context by whoever saw it (``AuthenticationContexts``).
package protocol BiometrySource: Sendable {
    /// What is enrolled for the user now: asked anew each time, within a bound of time.
    func enrolment() -> BiometryEnrolment

    /// Has somebody verified, until something comes of it or nobody waits for it any more.
    func match(while isAwaited: () -> Bool) -> BiometryMatch
}

package enum BiometryEnrolment: Hashable, Sendable {
    /// There is no reader, or none that answers in time.
    case noReader
    case nothing
    /// A digest of all that is enrolled; another one as soon as that changes.
    case set(Bytes16)

    var enrolledSet: Bytes16? {
        guard case .set(let set) = self else { return nil }
        return set
    }
}

package enum BiometryMatch: Hashable, Sendable {
    /// With what was enrolled while it was looked at.
    case matched(Bytes16)
    case notMatched
    case unavailable
    /// Nobody waited any more.
    case withdrawn
}

/// A machine that has none, or none that the custodian can observe.
package struct NoBiometry: BiometrySource {
    package init() {}

    package func enrolment() -> BiometryEnrolment { .noReader }

    package func match(while isAwaited: () -> Bool) -> BiometryMatch { .unavailable }
}
