/// By what a person shows that they are the owner of the device.
public enum LAPolicy: Int, Sendable {
    /// A biometric, and nothing else. It takes a reader and a person's biometrics enrolled with it, and a passcode.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// A biometric where one can be read, or else the passcode.
    case deviceOwnerAuthentication = 2
    /// A device of the same person's nearby. No system of this kind knows one: it fails with ``LAError/Code/companionNotAvailable``.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// A biometric, or such a device: here the same as a biometric alone.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4

    /// The former name of ``deviceOwnerAuthenticationWithCompanion``.
    public static var deviceOwnerAuthenticationWithWatch: LAPolicy { .deviceOwnerAuthenticationWithCompanion }
    /// The former name of ``deviceOwnerAuthenticationWithBiometricsOrCompanion``.
    public static var deviceOwnerAuthenticationWithBiometricsOrWatch: LAPolicy {
        .deviceOwnerAuthenticationWithBiometricsOrCompanion
    }
}

/// What a program can give a context by itself.
public enum LACredentialType: Int, Sendable {
    /// A password of the program's own, for items whose access control has `applicationPassword`.
    case applicationPassword = 0
}

/// What is to be done with an item that has an access control.
public enum LAAccessControlOperation: Int, Sendable {
    case createItem = 0
    /// To read it, or to change it.
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5
}

/// What kind of biometric the machine reads.
public enum LABiometryType: Int, Sendable {
    case none = 0
    /// A fingerprint.
    case touchID = 1
    case faceID = 2
    case opticID = 4
}
