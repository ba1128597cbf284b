/// What a person shows their presence for when no item is named. The numbers are Apple's `LAPolicy`, and on the wire.
package enum AuthenticationPolicy: UInt8, CBORValue, CaseIterable, Sendable {
    /// A biometric, and nothing else.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// A biometric, or the passcode.
    case deviceOwnerAuthentication = 2
}

/// Whether somebody could show by a biometric that they are there. The numbers are on the wire.
package enum BiometryAvailability: UInt8, CBORValue, CaseIterable, Sendable {
    /// There is no reader, or none that answers.
    case notAvailable = 1
    case notEnrolled = 2
    /// The passcode is needed first: too many did not match, or it was not given yet since the custodian began.
    case lockedOut = 3
    case ready = 4
}

/// What kind of biometric a reader knows. The numbers are Apple's `LABiometryType`, and on the wire.
package enum BiometryKind: UInt8, CBORValue, CaseIterable, Sendable {
    /// Apple's Touch ID.
    case fingerprint = 1
}
