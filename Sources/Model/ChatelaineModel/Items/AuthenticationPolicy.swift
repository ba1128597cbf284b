/// What a person has to show when no item is named. The numbers are those of Apple's `LAPolicy`, and are on the wire.
package enum AuthenticationPolicy: UInt8, CBORValue, CaseIterable, Sendable {
    /// A biometric, and nothing else.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// A biometric, or the passcode.
    case deviceOwnerAuthentication = 2
}

/// Whether a person can use a biometric. The numbers are on the wire.
package enum BiometryAvailability: UInt8, CBORValue, CaseIterable, Sendable {
    /// There is no reader, or the reader does not answer.
    case notAvailable = 1
    case notEnrolled = 2
    /// The passcode is needed first: too many attempts did not match, or it was not given since the custodian started.
    case lockedOut = 3
    case ready = 4
}

/// The kind of biometric that a reader recognises.
///
/// The numbers are those of Apple's `LABiometryType`, and are on the wire.
package enum BiometryKind: UInt8, CBORValue, CaseIterable, Sendable {
    /// Apple's Touch ID.
    case fingerprint = 1
}
