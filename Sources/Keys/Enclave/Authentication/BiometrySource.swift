import ChatelaineModel

/// Where the custodian learns about biometrics. What matches is noted in a context by whoever saw it (``AuthenticationContexts``).
package protocol BiometrySource: Sendable {
    /// A digest of all that is enrolled for the user; another one as soon as that changes, nil where nothing is.
    var enrolledSet: Bytes16? { get }
}

/// A machine that has none, or none that the custodian can observe.
package struct NoBiometry: BiometrySource {
    package var enrolledSet: Bytes16? { nil }

    package init() {}
}
