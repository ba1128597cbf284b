import CoreFoundation

/// What a use of an item requires besides its protection class; for ``SecAccessControlCreateWithFlags(_:_:_:_:)``.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// Requires the device's owner: an enrolled biometric, or the passcode.
    public static var userPresence: SecAccessControlCreateFlags { .init(rawValue: 1 << 0) }

    /// Requires an enrolled biometric, including one that was enrolled after the item was stored.
    public static var biometryAny: SecAccessControlCreateFlags { .init(rawValue: 1 << 1) }

    /// The former name of ``biometryAny``.
    @available(*, deprecated, renamed: "biometryAny")
    public static var touchIDAny: SecAccessControlCreateFlags { .init(rawValue: 1 << 1) }

    /// Requires an enrolled biometric, and the same set of enrolled biometrics as when the item was stored.
    public static var biometryCurrentSet: SecAccessControlCreateFlags { .init(rawValue: 1 << 3) }

    /// The former name of ``biometryCurrentSet``.
    @available(*, deprecated, renamed: "biometryCurrentSet")
    public static var touchIDCurrentSet: SecAccessControlCreateFlags { .init(rawValue: 1 << 3) }

    /// Requires the passcode.
    public static var devicePasscode: SecAccessControlCreateFlags { .init(rawValue: 1 << 4) }

    /// The former name of ``companion``.
    @available(*, deprecated, renamed: "companion")
    public static var watch: SecAccessControlCreateFlags { .init(rawValue: 1 << 5) }

    /// Requires a device of the same person nearby.
    public static var companion: SecAccessControlCreateFlags { .init(rawValue: 1 << 5) }

    /// Requires one of the constraints.
    public static var or: SecAccessControlCreateFlags { .init(rawValue: 1 << 14) }

    /// Requires all constraints.
    public static var and: SecAccessControlCreateFlags { .init(rawValue: 1 << 15) }

    /// Applies the constraints to operations with a private key.
    public static var privateKeyUsage: SecAccessControlCreateFlags { .init(rawValue: 1 << 30) }

    /// Requires a password that the program supplies; the item is also encrypted with it.
    public static var applicationPassword: SecAccessControlCreateFlags { .init(rawValue: 1 << 31) }
}
