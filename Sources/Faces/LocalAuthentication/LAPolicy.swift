/// The ways in which a person can show that they own the device.
public enum LAPolicy: Int, Sendable {
    /// A biometric only.
    ///
    /// It needs a reader, a passcode, and the person's biometrics enrolled.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// A biometric where one can be read, otherwise the passcode.
    case deviceOwnerAuthentication = 2
    /// A nearby device of the same person.
    ///
    /// Systems of this kind know none: the policy fails with ``LAError/Code/companionNotAvailable``.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// A biometric or a nearby device; here the same as a biometric only.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4

    /// The former name of ``deviceOwnerAuthenticationWithCompanion``.
    public static var deviceOwnerAuthenticationWithWatch: LAPolicy { .deviceOwnerAuthenticationWithCompanion }
    /// The former name of ``deviceOwnerAuthenticationWithBiometricsOrCompanion``.
    public static var deviceOwnerAuthenticationWithBiometricsOrWatch: LAPolicy {
        .deviceOwnerAuthenticationWithBiometricsOrCompanion
    }
}

/// The credentials that a program can give a context.
public enum LACredentialType: Int, Sendable {
    /// A password of the program's own, for items whose access control has `applicationPassword`.
    case applicationPassword = 0
}

/// The operations with an item or key that has an access control.
public enum LAAccessControlOperation: Int, Sendable {
    case createItem = 0
    /// Reading or changing an item.
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5
}

/// The kind of biometric that the machine reads.
public enum LABiometryType: Int, Sendable {
    case none = 0
    /// A fingerprint.
    case touchID = 1
    case faceID = 2
    case opticID = 4
}
