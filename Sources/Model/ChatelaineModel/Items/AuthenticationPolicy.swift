/// What a person shows their presence for when no item is named. The numbers are Apple's `LAPolicy`, and on the wire.
package enum AuthenticationPolicy: UInt8, CBORValue, CaseIterable, Sendable {
    /// A biometric, and nothing else.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// A biometric, or the passcode.
    case deviceOwnerAuthentication = 2
}
